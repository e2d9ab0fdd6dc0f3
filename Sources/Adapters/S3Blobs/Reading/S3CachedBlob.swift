internal import Domain
internal import NIOCore
internal import Synchronization

/// A blob whose bytes are a file of the cache, or become one; it stays readable when the blob or the file is removed.
///
/// While the file arrives, ``pieces(of:)`` follows it; everything else waits for it.
final class S3CachedBlob: OpenBlob {
    let size: Int64
    let digest: BlobDigest?
    var local: LocalBytes? { arrival.file.map(LocalBytes.file) }
    var isDamaged: Bool { damage.load(ordering: .relaxed) || arrival.failure != nil }
    let arrival: S3Arrival
    /// The same blob without the cache, whose disk can fail while the bytes arrive.
    let remote: S3LargeBlob
    private let threads: S3Threads
    private let damage = Atomic(false)

    init(_ arrival: S3Arrival, of stored: S3StoredBlob, or remote: S3LargeBlob, threads: S3Threads) {
        self.arrival = arrival
        (size, digest) = (stored.size, stored.digest)
        self.remote = remote
        self.threads = threads
    }

    func localBytes() async throws -> LocalBytes? {
        do {
            return .file(try await arrival.whole().file)
        } catch is CacheFailure {
            return nil
        } catch is MissingObject {
            throw remote.removed
        }
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        guard offset < size else { return ByteBuffer() }
        let wanted = Int(min(Int64(count), size - offset))
        do {
            return try await read(try await arrival.whole().file, offset..<offset + Int64(wanted))
        } catch is CacheFailure {
            return try await remote.read(at: offset, count: count)
        } catch is MissingObject {
            throw remote.removed
        }
    }

    func pieces(of range: Range<Int64>) -> BlobPieces {
        BlobPieces { [self] in
            let reader = S3ArrivingReader(self, range)
            return { try await reader.next() }
        }
    }

    /// Bytes of a file in which they have arrived.
    func read(_ file: LocalFile, _ range: Range<Int64>) async throws -> ByteBuffer {
        do {
            return try await threads.run { try file.read(at: range.lowerBound, count: range.count) }
        } catch let error as ServiceError {
            noteDamage()
            throw error
        }
    }

    func noteDamage() { damage.store(true, ordering: .relaxed) }
}
