/// Parses the query strings of an app's URLs, and caches short ones, because most images are requested repeatedly.
package struct ImageRequests: Sendable {
    private let known = BoundedCache<Query, ImageRequest>(bound: 4096)
    /// The maximum length of a cached query string in bytes; a client could otherwise fill the memory with long ones.
    private static let maxLength = 256

    /// Creates an empty cache.
    package init() {}

    /// Parses a query string as ``ImageRequest/init(query:context:)`` does, with a cache.
    ///
    /// - Parameters:
    ///   - query: The query string of the URL.
    ///   - host: The host in the URL, on which the app's own keys can depend.
    ///   - context: The parsing context, with the same limits in each call.
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
