/// Parses the query strings of an app's URLs, and caches short ones: most images are requested repeatedly.
package struct ImageRequests: Sendable {
    private let known = BoundedCache<Query, ImageRequest>(bound: 4096)
    /// Bytes; longer ones are read each time, or a stranger could fill the memory with them.
    private static let maxLength = 256

    /// Knows none yet.
    package init() {}

    /// What ``ImageRequest/init(query:context:)`` makes of a query.
    ///
    /// - Parameters:
    ///   - query: Of the URL.
    ///   - host: The server's name in the URL; it may decide which keys are the app's own.
    ///   - context: Of the same limits each time.
    /// - Returns: The request; `nil` for a query string without operators.
    /// - Throws: ``ServiceError/Code/badImageRequest`` naming the wrong parameter.
    package func request(
        _ query: String,
        host: String?,
        context: ImageParsingContext
    ) async throws -> ImageRequest? {
        let key = Query(query: query, host: host ?? "", fileSize: context.fileSize)
        guard key.length <= ImageRequests.maxLength else { return try ImageRequest(query: query, context: context) }
        return try await known.value(for: key) { try ImageRequest(query: query, context: context) }
    }

    private struct Query: Hashable {
        let query: String
        let host: String
        let fileSize: Int64

        var length: Int { query.utf8.count + host.utf8.count }
    }
}
