internal import FileClient

/// The pages of a list up to a limit.
struct CensorPages<Element: Sendable & Codable> {
    /// The maximum number of elements; `nil` for all.
    let limit: Int?
    /// Requests a page of that many elements.
    let page: (_ client: FileClient, _ count: Int, _ cursor: String?) async throws -> CensorPage<Element>

    /// Calls the body with each page that has elements.
    func each(
        of client: FileClient,
        _ body: (_ elements: [Element], _ isFirst: Bool) async throws -> Void
    ) async throws {
        var rest = limit ?? .max
        var cursor: String?
        var isFirst = true
        repeat {
            let next = try await page(client, min(rest, 200), cursor)
            // A server that sends more than requested must not exceed the user's limit.
            let elements = Array(next.results.prefix(rest))
            if !elements.isEmpty { try await body(elements, isFirst) }
            try ResultOutput.standard.requireWritten()
            isFirst = false
            rest -= elements.count
            cursor = next.cursor
        } while cursor != nil && rest > 0
    }
}
