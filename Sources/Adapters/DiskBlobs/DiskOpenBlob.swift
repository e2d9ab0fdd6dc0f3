internal import Domain
internal import Glibc
internal import NIOCore
internal import Synchronization

/// The file of a blob or of a derivative, open for reading.
final class DiskOpenBlob: OpenBlob {
    let size: Int64
    var local: LocalBytes? { .file(file) }
    var isDamaged: Bool { damage.load(ordering: .relaxed) }
    private let file: LocalFile
    private let pool: DiskThreads
    private let damage = Atomic(false)

    /// Creates a blob from the first `size` bytes of an open file.
    init(_ file: consuming Descriptor, size: Int64, pool: DiskThreads) {
        self.file = file.shared()
        self.size = size
        self.pool = pool
    }

    /// Opens the whole file; `nil` if it does not exist; blocks.
    convenience init?(path: String, pool: DiskThreads) throws {
        do {
            guard let file = try Descriptor(reading: path) else { return nil }
            let size = try file.size()
            self.init(file, size: size, pool: pool)
        } catch {
            throw unreadable(error)
        }
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        try await pool.runIfActive { [self] in
            do {
                return try file.readStored(at: offset, count: count, of: size)
            } catch {
                noteDamage()
                throw error
            }
        }
    }

    func noteDamage() {
        damage.store(true, ordering: .relaxed)
    }

    /// Sets the file's times to now, which mark it as recently used; blocks.
    func touch() {
        // The file system can refuse; the only effect is that the file is removed earlier.
        _ = file.withDescriptor { futimens($0, nil) }
    }

    /// Whether the file still has a name; without one, its disk space is freed only when it is closed; blocks.
    func hasName() -> Bool {
        var status = stat()
        return file.withDescriptor { fstat($0, &status) } == 0 && status.st_nlink > 0
    }
}
