internal import Domain
internal import NIOCore
internal import Synchronization

/// A blob whose bytes are a file of the cache; it stays readable when the blob or the file is removed.
final class S3CachedBlob: OpenBlob {
    let size: Int64
    let digest: BlobDigest?
    var local: LocalBytes? { .file(file) }
    var isDamaged: Bool { damage.load(ordering: .relaxed) }
    private let file: LocalFile
    private let threads: S3Threads
    private let damage = Atomic(false)

    init(_ file: LocalFile, of stored: S3StoredBlob, threads: S3Threads) {
        self.file = file
        (size, digest) = (stored.size, stored.digest)
        self.threads = threads
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        guard offset < size else { return ByteBuffer() }
        let wanted = Int(min(Int64(count), size - offset))
        do {
            return try await threads.run { [file] in try file.read(at: offset, count: wanted) }
        } catch let error as ServiceError {
            noteDamage()
            throw error
        }
    }

    func noteDamage() { damage.store(true, ordering: .relaxed) }
}
