internal import Synchronization

/// A request that got an error.
package struct FailedRequest: Sendable {
    /// When it was answered.
    package let time: Timestamp
    /// The value of `X-Request-Id`.
    package let id: String
    /// The client.
    package let client: String
    /// The method.
    package let method: String
    /// The path without query string and without the token of an upload.
    package let path: String
    /// The status of the response, 400 or more.
    package let status: Int
    /// The message that the client got; empty if the response has none.
    package let message: String
    /// The time from the arrival of the request's head to the response.
    package let duration: Duration

    /// Creates the value; long strings, which a client can choose, are shortened.
    package init(
        time: Timestamp,
        id: String,
        client: String,
        method: String,
        path: String,
        status: Int,
        message: String,
        duration: Duration
    ) {
        self.time = time
        self.id = id
        self.client = client
        self.method = FailedRequest.shortened(method, to: 16)
        self.path = FailedRequest.shortened(path, to: 256)
        self.status = status
        self.message = FailedRequest.shortened(message, to: 512)
        self.duration = duration
    }

    private static func shortened(_ text: String, to length: Int) -> String {
        text.utf8.count <= length ? text : String(decoding: text.utf8.prefix(length), as: UTF8.self) + "…"
    }
}

/// The last requests of one app that got an error, in memory; thread-safe.
///
/// Failures of the server and refusals are separate lists, so that a client that sends bad requests does not remove the
/// failures of the server.
package final class RecentFailures: Sendable {
    /// The maximum number of requests in each of the two lists.
    package static let bound = 100

    private let failed = Mutex(RecentValues<FailedRequest>(bound: RecentFailures.bound))
    private let refused = Mutex(RecentValues<FailedRequest>(bound: RecentFailures.bound))

    /// Creates empty lists.
    package init() {}

    /// Adds a request.
    package func record(_ request: FailedRequest) {
        if request.status >= 500 {
            failed.withLock { $0.append(request) }
        } else {
            refused.withLock { $0.append(request) }
        }
    }

    /// The requests that failed because of the server (status 500 and more), and those that it refused; each the
    /// newest first.
    ///
    /// - Throws: ``ServiceError/Code/masterKeyRequired``.
    package func lists(as caller: Caller) throws -> (failed: [FailedRequest], refused: [FailedRequest]) {
        try caller.requireMasterKey()
        return (failed.withLock { $0.all }.reversed(), refused.withLock { $0.all }.reversed())
    }
}
