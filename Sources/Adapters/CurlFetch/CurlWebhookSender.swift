package import Domain
package import NIOPosix

/// Posts webhooks with libcurl, each on one thread, with the same guard of addresses as fetches.
///
/// A cancelled request that waits for a thread leaves the queue when it reaches the front; one that runs ends within
/// about a second.
package struct CurlWebhookSender: WebhookSender {
    private let limits: FetchLimits
    private let addresses: AddressGuard
    private let pool: NIOThreadPool
    private let admission: Admission

    /// - Parameters:
    ///   - limits: The limit for establishing connections; the other limits do not concern webhooks.
    ///   - addresses: Checks the address of every connection.
    ///   - pool: Started threads that slow servers are allowed to block.
    ///   - limit: The maximum number of requests that run and wait together.
    package init(limits: FetchLimits, addresses: AddressGuard, pool: NIOThreadPool, limit: Int) {
        self.limits = limits
        self.addresses = addresses
        self.pool = pool
        admission = Admission(limit: limit, refusal: "Too many webhooks are being sent; try again in a second.")
    }

    package func post(
        _ body: [UInt8],
        to url: RemoteURL,
        headers: [(name: String, value: String)],
        within seconds: Int
    ) async throws -> WebhookReply {
        let address = try url.requestText
        let lines = headers.map { "\($0.name): \($0.value)" }
        let stop = StopFlag()
        return try await admission.run {
            try await withTaskCancellationHandler {
                try await pool.runIfActive { [addresses, connectTimeout = limits.connectTimeout] in
                    let post = WebhookPost(
                        seconds: seconds,
                        connectTimeout: connectTimeout,
                        addresses: addresses,
                        stop: stop
                    )
                    return try post.run(body, to: address, headers: lines)
                }
            } onCancel: {
                stop.set()
            }
        }
    }
}
