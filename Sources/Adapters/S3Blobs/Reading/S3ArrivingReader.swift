internal import Domain
internal import NIOCore

/// Reads a range of a blob in order, while its bytes arrive in the cache.
///
/// The last piece comes after the bytes of the whole blob were compared with its digest: a caller that gets all pieces has
/// the bytes that were stored, and wrong bytes end with an error before the last piece. Used by one task.
final class S3ArrivingReader {
    private let blob: S3CachedBlob
    private let end: Int64
    private var position: Int64
    /// The attempt whose bytes were passed on; `nil` before the first ones.
    private var attempt: Int?
    /// Reads the rest from the store after the cache's disk failed.
    private var rest: BlobPieces.AsyncIterator?

    init(_ blob: S3CachedBlob, _ range: Range<Int64>) {
        self.blob = blob
        position = range.lowerBound
        end = range.upperBound
    }

    /// The bytes that were passed on were not those of the blob.
    private static var changed: ServiceError {
        ServiceError.unreadable(UnreadableBlob("the S3 store has sent other bytes before"))
    }

    /// The next bytes; `nil` at the end.
    func next() async throws -> ByteBuffer? {
        if let rest { return try await rest.next() }
        guard position < end else { return nil }
        let next = min(end, position + S3CachedBlob.pieceSize)
        do {
            let part = try await next < end ? blob.arrival.reaching(next) : blob.arrival.whole()
            guard attempt ?? part.attempt == part.attempt else { throw S3ArrivingReader.changed }
            let bytes = try await blob.read(part.file, position..<next)
            (attempt, position) = (part.attempt, next)
            return bytes
        } catch is CacheFailure {
            guard attempt.map(blob.arrival.isCurrent) ?? true else { throw S3ArrivingReader.changed }
            let rest = blob.remote.pieces(of: position..<end).makeAsyncIterator()
            self.rest = rest
            return try await rest.next()
        } catch is MissingObject {
            throw blob.remote.removed
        }
    }
}
