internal import Synchronization

/// Limits the requests at once for uploads with large descriptions, because such a description is in memory while its
/// request runs, with up to forty times its bytes.
///
/// A client can keep a request open for long with few bytes, so the limit of open connections is not enough. Uploads of
/// the master key have no limit.
final class LargeDescriptions: Sendable {
    private let count = Atomic(0)

    /// The maximum number of requests; with the default `objects.maxSize` they take 300 MB at most.
    static let limit = 64

    /// Runs a body for an upload.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` if too many others have large descriptions; errors of the body.
    func counting<Result>(_ upload: StoredUpload, _ body: () async throws -> Result) async throws -> Result {
        guard !upload.creator.isMaster, !upload.hasDescription(upTo: ActiveUploads.idleSize) else {
            return try await body()
        }
        defer { count.subtract(1, ordering: .relaxed) }
        guard count.add(1, ordering: .relaxed).newValue <= LargeDescriptions.limit else {
            throw ServiceError(
                .overloaded,
                "\(LargeDescriptions.limit) requests for uploads with metaData and ACL of more than "
                    + "\(ActiveUploads.idleSize) bytes are running, the limit; try again later."
            )
        }
        return try await body()
    }
}
