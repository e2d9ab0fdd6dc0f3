/// Deletion of files; every call throws ``FileClientError``, with the server's message if it refused the request.
extension FileClient {
    /// Deletes a file; succeeds also if it does not exist.
    ///
    /// - Throws: ``FileClientError`` with status 403 for callers who are not allowed to delete it.
    public func deleteFile(_ objectId: String) async throws {
        try await deleteFiles([objectId])
    }

    /// Deletes files in one request.
    ///
    /// - Parameter objectIds: 1 to 100 ids; those without a file are ignored.
    /// - Throws: ``FileClientError`` with status 403 if the caller is not allowed to delete one of them.
    public func deleteFiles(_ objectIds: [String]) async throws {
        guard objectIds.allSatisfy({ !$0.isEmpty }) else { throw FileClientError(.local, "an objectId is empty") }
        let path = "/1.1/files/" + objectIds.map(\.percentEncoded).joined(separator: ",")
        _ = try await send(request("DELETE", path))
    }
}
