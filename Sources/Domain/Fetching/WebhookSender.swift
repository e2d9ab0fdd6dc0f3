/// Posts to a URL that the operator configured, and returns the answer.
package protocol WebhookSender: Sendable {
    /// Posts a body once; redirects are not followed.
    ///
    /// - Parameters:
    ///   - body: JSON, unless a header field `Content-Type` says otherwise; it can be empty.
    ///   - url: The address; the same rules as for fetches say which addresses can be reached.
    ///   - headers: Further header fields; checked by the caller.
    ///   - seconds: The limit for the whole request.
    /// - Returns: The answer, with the first ``WebhookReply/maxSize`` bytes of its body.
    /// - Throws: ``ServiceError/Code/timedOut``, ``ServiceError/Code/overloaded``, ``ServiceError/Code/badRequest`` for
    ///   all other failures, and `CancellationError`.
    func post(
        _ body: [UInt8],
        to url: RemoteURL,
        headers: [(name: String, value: String)],
        within seconds: Int
    ) async throws -> WebhookReply
}

/// The answer to a webhook.
package struct WebhookReply: Sendable, Hashable {
    /// The maximum number of bytes that are read of an answer's body.
    package static let maxSize = 64 << 10

    /// The status code.
    package let status: Int
    /// The body.
    package let body: [UInt8]
    /// Whether the answer has no more bytes than ``body``.
    package let isWhole: Bool

    /// Creates an answer.
    package init(status: Int, body: [UInt8], isWhole: Bool = true) {
        self.status = status
        self.body = body
        self.isWhole = isWhole
    }
}
