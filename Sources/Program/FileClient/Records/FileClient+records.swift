internal import FoundationEssentials

/// Records of files; every call throws ``FileClientError``, with the server's message if it refused the request.
extension FileClient {
    /// The record of a file.
    ///
    /// - Throws: ``FileClientError`` with status 404 if it does not exist.
    public func file(_ objectId: String) async throws -> FileRecord {
        try await call("GET", ["files", objectId])
    }

    /// The record of the file with a key; `nil` if there is none.
    public func file(key: String) async throws -> FileRecord? {
        let condition = JSON.object(["key": .string(key)])
        return try await records([("where", condition.description), ("limit", "1")]).first
    }

    /// The record of a URL; `nil` if there is none.
    ///
    /// A file on another server has exactly this URL. Otherwise the path is the key of a file of this server, which can
    /// have several domains.
    public func file(url: String) async throws -> FileRecord? {
        let condition = JSON.object(["url": .string(url)])
        if let record = try await records([("where", condition.description), ("limit", "1")]).first { return record }
        guard let key = FileClient.key(in: url) else { return nil }
        return try await file(key: key)
    }

    /// The key in a URL of any domain: its path without the first slash, decoded; `nil` if it has none, or no UTF-8.
    public static func key(in url: String) -> String? {
        let path = URL(string: url)?.path(percentEncoded: false) ?? ""
        return path.count > 1 ? String(path.dropFirst()) : nil
    }

    /// The records of files by objectId; those that do not exist are missing in the result.
    ///
    /// - Parameter objectIds: At most 100 ids.
    /// - Returns: The records by objectId.
    /// - Throws: ``FileClientError``.
    public func files(_ objectIds: [String]) async throws -> [String: FileRecord] {
        let ids = JSON.object(["objectId": .object(["$in": .array(objectIds.map(JSON.string))])])
        let records = try await records([("where", ids.description), ("limit", "\(objectIds.count)")])
        return Dictionary(records.map { ($0.objectId, $0) }) { first, _ in first }
    }

    /// The records that match a query, page by page.
    public func files(_ query: FileQuery = FileQuery()) -> FilePages {
        FilePages(query: query, client: self)
    }

    /// The records of the whole class in the order of their ids, page by page; needs the master key.
    ///
    /// - Parameters:
    ///   - condition: The condition, a JSON object; `nil` for all files.
    ///   - cursor: The cursor of the page before; `nil` for the first page.
    ///   - pageSize: The number of records of a page, 1 to 1000.
    /// - Returns: The records and the cursor of the next page; `nil` after the last page.
    /// - Throws: ``FileClientError``.
    public func scan(
        _ condition: JSON? = nil,
        cursor: String? = nil,
        pageSize: Int = 1000
    ) async throws -> (records: [FileRecord], cursor: String?) {
        struct Reply: Decodable {
            let results: [FileRecord]
            let cursor: String?
        }
        var parameters = [("limit", String(pageSize)), ("scan_key", "objectId")]
        if let condition { parameters.append(("where", condition.description)) }
        if let cursor { parameters.append(("cursor", cursor)) }
        let path = "/1.1/scan/classes/_File" + FileClient.queryString(parameters)
        let reply: Reply = try decode(await send(request("GET", path)))
        return (reply.results, reply.cursor)
    }

    /// The URL of the bytes of a file: at this client's server for its own files, otherwise the URL of the record.
    ///
    /// The server serves its files under every host name, and the address in a record is not always one that this
    /// client reaches. The URL of a private file keeps its signature.
    public func contentURL(of record: FileRecord) -> String? {
        guard let key = record.key else { return record.url }
        let segments = key.split(separator: "/", omittingEmptySubsequences: false)
        let url = ([server] + segments.map { String($0).percentEncoded }).joined(separator: "/")
        let signature = record.url?.split(separator: "?", maxSplits: 1).dropFirst().first
        return signature.map { "\(url)?\($0)" } ?? url
    }

    /// A string as part of a path or query string: every byte except unreserved characters as `%XX`.
    public static func percentEncoded(_ text: String) -> String {
        text.percentEncoded
    }

    func records(_ parameters: [(name: String, value: String)]) async throws -> [FileRecord] {
        struct Reply: Decodable {
            let results: [FileRecord]
        }
        let path = "/1.1/files" + FileClient.queryString(parameters)
        let reply: Reply = try decode(await send(request("GET", path)))
        return reply.results
    }

    static func queryString(_ parameters: [(name: String, value: String)]) -> String {
        "?" + parameters.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
    }
}
