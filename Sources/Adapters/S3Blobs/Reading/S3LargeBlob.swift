internal import Domain
internal import NIOCore
internal import S3
internal import Synchronization

/// A blob that is read from the store in large pieces, which the cache holds one by one.
///
/// The bytes of a reader lie on the disk, so that memory does not grow with readers or pieces. Unlike a file on the disk,
/// the blob is not readable any more after it is removed.
final class S3LargeBlob: OpenBlob {
    private let stored: S3StoredBlob
    private let client: S3Client
    private let cache: S3FileCache
    private let threads: S3Threads
    let pieceSize: Int64
    private let damage = Atomic(false)

    init(_ stored: S3StoredBlob, client: S3Client, cache: S3FileCache, threads: S3Threads, settings: S3BlobSettings) {
        self.stored = stored.withoutContent
        self.client = client
        self.cache = cache
        self.threads = threads
        pieceSize = max(1, settings.pieceSize)
    }

    var size: Int64 { stored.size }
    var digest: BlobDigest? { stored.digest }
    var local: LocalBytes? { nil }
    var isDamaged: Bool { damage.load(ordering: .relaxed) }

    func noteDamage() { damage.store(true, ordering: .relaxed) }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        guard offset < size, count > 0 else { return ByteBuffer() }
        let end = offset + min(Int64(count), size - offset)
        var bytes = ByteBuffer()
        while offset + Int64(bytes.readableBytes) < end {
            let position = offset + Int64(bytes.readableBytes)
            let number = position / pieceSize
            let piece = try await piece(number)
            let more = try await read(piece, number, position..<min(end, (number + 1) * pieceSize))
            if bytes.readableBytes == 0 { bytes = more } else { bytes.writeImmutableBuffer(more) }
        }
        return bytes
    }

    func pieces(of range: Range<Int64>) -> BlobPieces {
        BlobPieces { [self] in
            let reader = S3SequentialReader(self, range)
            return { try await reader.next() }
        }
    }

    /// The file of a piece; `nil` if the cache's disk fails.
    func piece(_ number: Int64) async throws -> LocalFile? {
        let range = number * pieceSize..<min(size, (number + 1) * pieceSize)
        let name = S3CacheName(stored, in: client.bucket, piece: range)
        do {
            return try await cache.file(name, on: threads) { [client, stored] writer in
                _ = try writer.fill(range, of: stored, from: client)
            }
        } catch is CacheFailure {
            return nil
        } catch is MissingObject {
            throw removed
        }
    }

    /// Bytes of one piece: from its file, else from the store.
    func read(_ file: LocalFile?, _ number: Int64, _ range: Range<Int64>) async throws -> ByteBuffer {
        try await threads.run { [self] in
            if let file { return try file.read(at: range.lowerBound - number * pieceSize, count: range.count) }
            var bytes = ByteBuffer()
            bytes.reserveCapacity(range.count)
            do {
                try stored.read(range, from: client) { bytes.writeBytes($0) }
            } catch let error as S3Error where error.reason == .missing {
                throw removed
            }
            return bytes
        }
    }

    /// The blob was removed while it was open, and cannot be read any more.
    var removed: ServiceError {
        noteDamage()
        return ServiceError.unreadable(UnreadableBlob("the blob was removed while it was read"))
    }
}
