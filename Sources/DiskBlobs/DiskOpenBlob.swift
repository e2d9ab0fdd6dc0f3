internal import Domain
internal import Glibc
internal import NIOCore
internal import Synchronization

/// A blob's file, open for reading.
final class DiskOpenBlob: OpenBlob {
    let size: Int64
    var descriptor: CInt? { file.raw }
    var isDamaged: Bool { damage.load(ordering: .relaxed) }
    private let file: Descriptor
    private let pool: DiskThreads
    private let damage = Atomic(false)

    /// Opens the file, or gives nothing if there is none; blocks.
    init?(path: String, pool: DiskThreads) throws {
        do {
            guard let file = try Descriptor(reading: path) else { return nil }
            size = try file.size()
            self.file = file
        } catch {
            throw unreadable(error)
        }
        self.pool = pool
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
}
