/// Parses the query strings of an app's URLs, and caches short ones: most images are requested repeatedly.
package struct ImageRequests: Sendable {
    private let known = BoundedCache<Words, ImageRequest>(bound: 4096)
    /// Bytes; longer ones are read each time, or a stranger could fill the memory with them.
    private static let longest = 256

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
        context: ImageWordContext
    ) async throws -> ImageRequest? {
        let words = Words(query: query, host: host ?? "", fileSize: context.fileSize)
        guard words.length <= ImageRequests.longest else { return try ImageRequest(query: query, context: context) }
        return try await known.value(for: words) { try ImageRequest(query: query, context: context) }
    }

    private struct Words: Hashable {
        let query: String
        let host: String
        let fileSize: Int64

        var length: Int { query.utf8.count + host.utf8.count }
    }
}
