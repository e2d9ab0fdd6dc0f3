package import Domain

/// One request for the log, as values: the thread of the log formats them, not the event loop that answers.
package struct RequestRecord: Sendable {
    /// When the response was sent, or the connection was lost.
    package var time: Timestamp
    /// The value of `X-Request-Id`.
    package let id: any CustomStringConvertible & Sendable
    /// The app of the request; `nil` if the server has not found one, as in a request with a wrong key.
    package let app: AppID?
    /// The client.
    package let client: RequestClient
    /// The method.
    package let method: String
    /// The path without the token of an upload; not decoded, and with any bytes that a client can send.
    package let path: String
    /// The pattern of the path that found the route; `nil` for an unknown path.
    package let route: String?
    /// The status of the response.
    package let status: Int
    /// The bytes of the response's body; `nil` if they are unknown, because the response is not complete.
    package var bytes: Int64?
    /// The time from the arrival of the request's head to ``time``.
    package var duration: Duration
    /// Whether the whole response was sent.
    package var isComplete: Bool
}

/// Receives each request after its end.
package struct RequestSink: Sendable {
    /// Whether the log has lines for requests at this time; without them, no record is made.
    package let isOpen: @Sendable () -> Bool
    /// Receives a record, on any thread, and returns at once.
    package let send: @Sendable (RequestRecord) -> Void

    /// Creates a sink from its functions.
    package init(
        isOpen: @escaping @Sendable () -> Bool = { true },
        send: @escaping @Sendable (RequestRecord) -> Void
    ) {
        self.isOpen = isOpen
        self.send = send
    }
}
