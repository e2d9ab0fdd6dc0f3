internal import Domain
internal import S3

/// Reading while another server joins segments.
extension S3StagedBlob {
    /// How often a body runs again at most; a joined segment is not joined again, so that few runs are enough.
    private static let rereadings = 3

    /// Runs a body that reads segments, and runs it again if one of them is missing.
    ///
    /// After this server learned the names of the segments, another one can join some with their neighbours and remove
    /// them. The joined segment has the same bytes. That happens also while this server finishes the upload: a part that
    /// is not in the list of the client can still be on its way to the other one.
    ///
    /// - Parameters:
    ///   - learn: Learns the current names before a further run.
    ///   - body: The body.
    /// - Returns: The result of the body.
    /// - Throws: Errors of both; that of the last run if segments stay missing.
    func rereading<Result>(
        learning learn: () async throws -> Void = {},
        _ body: () async throws -> Result
    ) async throws -> Result {
        for _ in 0..<S3StagedBlob.rereadings {
            do {
                return try await body()
            } catch let error as ServiceError where error.isMissingObject {
                try await learn()
            }
        }
        return try await body()
    }
}
