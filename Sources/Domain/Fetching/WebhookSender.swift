/// Posts to a URL that the operator configured, and returns the answer.
package protocol WebhookSender: Sendable {
    /// Posts a body once; redirects are not followed.
    ///
    /// - Parameters:
    ///   - body: JSON, unless a header field `Content-Type` says otherwise; it can be empty.
    ///   - url: The address; the same rules as for fetches say which addresses can be reached.
    ///   - headers: Further header fields; checked by the caller.
    ///   - seconds: The limit for the whole request.
    /// - Returns: The answer.
    /// - Throws: ``ServiceError/Code/timedOut``, ``ServiceError/Code/payloadTooLarge`` for an answer over
    ///   ``WebhookReply/maxSize``, ``ServiceError/Code/overloaded``, ``ServiceError/Code/badRequest`` for all other
    ///   failures, and `CancellationError`.
    func post(
        _ body: [UInt8],
        to url: RemoteURL,
        headers: [(name: String, value: String)],
        within seconds: Int
    ) async throws -> WebhookReply
}

/// The answer to a webhook.
package struct WebhookReply: Sendable, Hashable {
    /// The maximum number of bytes of an answer's body.
    package static let maxSize = 64 << 10

    /// The status code.
    package let status: Int
    /// The body.
    package let body: [UInt8]

    /// Creates an answer.
    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}
