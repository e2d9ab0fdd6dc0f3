internal import FoundationEssentials

extension FileClient {
    /// The objects of a class in the order of their ids, page by page; needs the master key.
    ///
    /// - Parameters:
    ///   - className: The class.
    ///   - keys: The fields that objects contain; `nil` for all.
    ///   - cursor: The cursor of the page before; `nil` for the first page.
    ///   - pageSize: The number of objects of a page, 1 to 1000.
    /// - Returns: The objects and the cursor of the next page; `nil` after the last page.
    /// - Throws: ``FileClientError``.
    public func scan(
        class className: String,
        keys: [String]? = nil,
        cursor: String? = nil,
        pageSize: Int = 1000
    ) async throws -> (objects: [JSON], cursor: String?) {
        var parameters = [("limit", String(pageSize)), ("scan_key", "objectId")]
        if let keys { parameters.append(("keys", keys.joined(separator: ","))) }
        if let cursor { parameters.append(("cursor", cursor)) }
        let path = "/1.1/scan/classes/\(className.percentEncoded)" + FileClient.queryString(parameters)
        let response = try await send(request("GET", path))
        guard case .object(let reply) = try? JSON(parsing: String(decoding: response.body, as: UTF8.self)),
            case .array(let objects) = reply["results"]
        else { throw FileClientError(.unexpectedAnswer, "the answer does not come from an lcfile server") }
        guard case .string(let next) = reply["cursor"] else { return (objects, nil) }
        return (objects, next)
    }
}
