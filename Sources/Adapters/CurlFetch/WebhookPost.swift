internal import Curl
internal import Domain
internal import Synchronization

/// One request of a webhook: the options for libcurl, its callbacks, and the error of its result.
///
/// Created, used and released on one thread of the pool.
final class WebhookPost {
    private let seconds: Int
    private let connectTimeout: Int
    private let connections: ConnectionGuard
    private let stop: StopFlag
    private var received: [UInt8] = []
    private var isTooLarge = false

    /// - Parameters:
    ///   - seconds: The limit for the whole request.
    ///   - connectTimeout: The limit for making a connection, in seconds.
    ///   - addresses: Checks the address of every connection.
    ///   - stop: Ends the request when it is set.
    init(seconds: Int, connectTimeout: Int, addresses: AddressGuard, stop: StopFlag) {
        self.seconds = seconds
        self.connectTimeout = connectTimeout
        connections = ConnectionGuard(addresses)
        self.stop = stop
    }

    /// Blocks until the answer is received.
    ///
    /// - Parameters:
    ///   - body: JSON, unless a header field `Content-Type` says otherwise.
    ///   - url: A URL in ASCII.
    ///   - headers: Lines of header fields without their ends.
    /// - Returns: The answer, with any status; the status counts also if the body exceeds its limit.
    /// - Throws: The errors of ``WebhookSender/post(_:to:headers:within:)``; `CurlFailure` if libcurl does not work as
    ///   expected.
    func run(_ body: [UInt8], to url: String, headers: [String]) throws -> WebhookReply {
        let start = ContinuousClock.now
        let isJSON = !headers.contains { $0.lowercased().hasPrefix("content-type:") }
        var handle = try CurlHandle.posting(body, to: url, within: seconds, isJSON: isJSON)
        try handle.restrict()
        try handle.set(.followsRedirects, false)
        try handle.set(.connectTimeout, min(connectTimeout, seconds))
        for header in headers { try handle.addHeader(header) }
        do throws(CurlFailure) {
            try handle.perform(
                CurlCallbacks(
                    receive: { bytes, _ in self.receive(bytes) },
                    isAllowed: { bytes in self.connections.allows(bytes) },
                    goesOn: { _ in !self.stop.isSet }
                )
            )
        } catch {
            guard isTooLarge, !stop.isSet else { throw meaning(of: error, after: ContinuousClock.now - start) }
        }
        return WebhookReply(status: try handle.status(), body: received, isWhole: !isTooLarge)
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let rest = WebhookReply.maxSize - received.count
        received.append(contentsOf: bytes.prefix(rest))
        isTooLarge = bytes.count > rest
        return !isTooLarge
    }

    /// The error for a failed request; it can name the refused address, because the URL is the operator's.
    private func meaning(of failure: CurlFailure, after time: Duration) -> any Error {
        if stop.isSet { return CancellationError() }
        let cause = FetchFailure(failure: failure, refusedAddress: connections.refusedAddress)
        // libcurl measures time with its own clock; one second of tolerance.
        let isOver = time + .seconds(1) >= .seconds(seconds)
        return switch failure.reason {
        case .timedOut where isOver:
            ServiceError(.timedOut, "The webhook did not answer within \(seconds) seconds.", cause: cause)
        case .timedOut:
            ServiceError(
                .timedOut,
                "The webhook accepted no connection within \(connectTimeout) seconds (fetch.connectTimeout).",
                cause: cause
            )
        case .brokenOff:
            ServiceError(.badRequest, "The webhook closed the connection before its answer was complete.", cause: cause)
        case _ where connections.refusedAddress != nil:
            ServiceError(
                .badRequest,
                "The address of the webhook is not public; fetch.allowedNetworks can allow it.",
                cause: cause
            )
        case .tooLarge, .tooManyRedirects, .unusableAddress, .logInRefused, .unreachable, .encryptionFailed,
            .unexpectedReply, .stopped, .other:
            ServiceError(.badRequest, "The webhook cannot be reached from this server.", cause: cause)
        }
    }
}

/// Tells a transfer on another thread to end.
///
/// Thread-safe.
final class StopFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Whether the transfer must end.
    var isSet: Bool {
        flag.load(ordering: .acquiring)
    }

    /// Ends the transfer at its next callback, within about a second.
    func set() {
        flag.store(true, ordering: .releasing)
    }
}
