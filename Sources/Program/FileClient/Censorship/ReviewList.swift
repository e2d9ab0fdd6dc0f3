/// Which files a review list contains.
public struct ReviewQuery: Sendable, Hashable {
    /// The verdict; `nil` for files with any verdict.
    public var verdict: Verdict?
    /// The earliest creation, ISO 8601.
    public var from: String?
    /// The end of the range, ISO 8601; files were created before it.
    public var to: String?
    /// The number of files of a page, 1 to 200.
    public var pageSize = 50

    /// Creates a query of all files with a verdict.
    public init() {}
}

/// One page of a list; the cursor is `nil` at the end.
public struct CensorPage<Element: Sendable & Codable>: Sendable, Codable {
    /// The elements, the newest first.
    public let results: [Element]
    /// The parameter of the next page.
    public let cursor: String?
}

extension FileClient {
    /// The next page of files with a verdict, the newest first; needs the master key.
    ///
    /// - Parameters:
    ///   - query: The files.
    ///   - cursor: The cursor of the page before; `nil` for the first page.
    /// - Returns: The files and the cursor of the next page.
    /// - Throws: ``FileClientError``.
    public func reviewList(_ query: ReviewQuery, cursor: String? = nil) async throws -> CensorPage<CensorState> {
        let parameters = [
            ("verdict", query.verdict?.rawValue), ("from", query.from), ("to", query.to),
            ("limit", String(query.pageSize)), ("cursor", cursor),
        ]
        return try await page("/1.1/censorship", parameters)
    }

    /// A page of a list with the parameters that have values.
    func page<Element>(_ path: String, _ parameters: [(String, String?)]) async throws -> CensorPage<Element> {
        let given = parameters.compactMap { name, value in value.map { (name, $0) } }
        return try decode(await send(request("GET", path + FileClient.queryString(given))))
    }
}
