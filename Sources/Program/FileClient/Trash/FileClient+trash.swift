/// A deleted file that can be restored.
public struct TrashedFile: Sendable, Hashable, Codable {
    /// Why a file is in the trash.
    public enum Reason: String, Sendable, Codable, CaseIterable {
        /// A caller deleted it.
        case deleted
        /// A collection found that no object refers to it.
        case collected
    }

    /// The id of the entry in the trash.
    public let objectId: String
    /// The file's objectId.
    public let file: String
    /// The file's key; `nil` for a file on another server.
    public let key: String?
    /// The file's name.
    public let name: String?
    /// The media type.
    public let mimeType: String?
    /// The size in bytes of what the server keeps.
    public let size: Int64
    /// When the file was deleted, ISO 8601.
    public let deletedAt: String
    /// When the file is removed for good, ISO 8601.
    public let expiresAt: String
    /// When the file was created, ISO 8601.
    public let createdAt: String
    /// Why it is in the trash.
    public let reason: Reason
    /// Who deleted it: `master`, `user:<objectId>` or `guest`.
    public let by: String

    private enum CodingKeys: String, CodingKey {
        case objectId, file, key, name, size, deletedAt, expiresAt, createdAt, reason, by
        case mimeType = "mime_type"
    }
}

/// One page of the trash, the newest first.
public struct TrashPage: Sendable, Codable {
    /// The files.
    public let results: [TrashedFile]
    /// The parameter of the next page; `nil` at the end.
    public let cursor: String?
}

/// The trash; every call needs the master key and throws ``FileClientError``.
extension FileClient {
    /// A page of the trash, the newest first.
    ///
    /// - Parameters:
    ///   - reason: Only files that are there for this reason; `nil` for all.
    ///   - limit: The number of files, 1 to 1000.
    ///   - cursor: The cursor of the page before; `nil` for the first page.
    /// - Returns: The files and the cursor of the next page.
    /// - Throws: ``FileClientError``.
    public func trash(
        _ reason: TrashedFile.Reason? = nil,
        limit: Int = 100,
        cursor: String? = nil
    ) async throws -> TrashPage {
        let parameters = [("reason", reason?.rawValue), ("limit", String(limit)), ("cursor", cursor)]
        let given = parameters.compactMap { name, value in value.map { (name, $0) } }
        return try decode(await send(request("GET", "/1.1/trash" + FileClient.queryString(given))))
    }

    /// Restores a file with its id, key, URL, ACL and metadata.
    ///
    /// - Parameter id: The id of the entry, or the file's objectId, which stands for the newest entry of the file.
    /// - Returns: The restored file.
    /// - Throws: ``FileClientError`` with status 404 if it is not in the trash, 400 if its id or key is taken.
    public func restore(_ id: String) async throws -> FileRecord {
        try await call("POST", ["trash", id, "restore"])
    }

    /// Removes a file from the trash for good.
    ///
    /// - Parameter id: As for ``restore(_:)``.
    /// - Throws: ``FileClientError`` with status 404 if it is not in the trash.
    public func removeFromTrash(_ id: String) async throws {
        guard !id.isEmpty else { throw FileClientError(.local, "the id is empty") }
        _ = try await send(request("DELETE", "/1.1/trash/\(id.percentEncoded)"))
    }

    /// Removes many files from the trash for good, in as many requests as that takes.
    ///
    /// - Parameters:
    ///   - reason: Only files that are there for this reason; `nil` for all.
    ///   - deletedBefore: Only files that were deleted before this time, ISO 8601; `nil` for all.
    ///   - progress: Called with the number of files removed so far, after each request.
    /// - Returns: The number of files.
    /// - Throws: ``FileClientError``; what earlier requests removed stays removed.
    public func emptyTrash(
        _ reason: TrashedFile.Reason? = nil,
        deletedBefore: String? = nil,
        progress: (Int) -> Void = { _ in }
    ) async throws -> Int {
        struct Reply: Decodable {
            let removed: Int
        }
        let parameters = [("reason", reason?.rawValue), ("deletedBefore", deletedBefore)]
        let given = parameters.compactMap { name, value in value.map { (name, $0) } }
        var total = 0
        while true {
            let reply: Reply = try decode(
                await send(request("DELETE", "/1.1/trash" + FileClient.queryString(given)))
            )
            guard reply.removed > 0 else { return total }
            total += reply.removed
            progress(total)
        }
    }
}
