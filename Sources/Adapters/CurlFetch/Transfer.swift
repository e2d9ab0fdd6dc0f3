internal import Curl
internal import Domain
internal import NIOCore

/// One fetch: the options for libcurl, its callbacks, and the error of its result.
///
/// Created, used and released on one thread of the pool.
final class Transfer {
    private let limits: FetchLimits
    private let connections: ConnectionGuard
    private let channel: PieceChannel
    private var received: Int64 = 0
    /// The reason for which a callback ended the transfer.
    private var refusal: ServiceError?

    init(limits: FetchLimits, addresses: AddressGuard, channel: PieceChannel) {
        self.limits = limits
        connections = ConnectionGuard(addresses)
        self.channel = channel
    }

    /// Blocks until the file is received and consumed.
    ///
    /// - Parameter address: A URL in ASCII.
    /// - Returns: The metadata from the server's response.
    /// - Throws: The errors of ``Fetcher/fetch(_:into:)``; `CurlFailure` if libcurl does not work as expected.
    func run(_ address: String) throws -> FetchedHead {
        let start = ContinuousClock.now
        var handle = try prepared(address)
        do throws(CurlFailure) {
            try handle.perform(
                CurlCallbacks(
                    receive: { bytes, status in self.receive(bytes, status) },
                    isAllowed: { bytes in self.connections.allows(bytes) },
                    goesOn: { downloaded in self.goesOn(downloaded) }
                )
            )
        } catch {
            let status = try handle.status()
            throw meaning(of: error, status: status, after: ContinuousClock.now - start)
        }
        let status = try handle.status()
        // The receive callback checks the status too, but is not called for a response without a body.
        if let failure = statusRefusal(status) { throw failure }
        // libcurl treats a connection that ends within the head as a response without a body.
        guard received > 0 || ["Content-Length", "Transfer-Encoding"].contains(where: { handle.header($0) != nil })
        else {
            throw Transfer.cutShort(cause: nil)
        }
        return FetchedHead(
            mediaType: handle.header("Content-Type").flatMap { MediaType($0, keepingCharset: true) },
            tag: handle.header("ETag"),
            isEncoded: handle.header("Content-Encoding").map { $0.lowercased() != "identity" } ?? false
        )
    }

    /// Creates the handle; options that are not set have libcurl's defaults: no cookies, no passwords, no referrer, no
    /// compression, TLS certificates verified.
    private func prepared(_ address: String) throws(CurlFailure) -> CurlHandle {
        let handle = try CurlHandle()
        try handle.set(.url, address)
        try handle.restrict()
        try handle.set(.followsRedirects, true)
        try handle.set(.redirectProtocols, "http,https")
        try handle.set(.maxRedirects, limits.redirects)
        try handle.set(.maxFileSize, limits.size)
        try handle.set(.timeout, limits.timeout)
        try handle.set(.connectTimeout, limits.connectTimeout)
        try handle.set(.lowSpeedLimit, limits.minSpeed)
        try handle.set(.lowSpeedTime, limits.minSpeedTime)
        return handle
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, _ status: Int) -> Bool {
        let total = received + Int64(bytes.count)
        refusal = statusRefusal(status) ?? sizeRefusal(total)
        guard refusal == nil else { return false }
        received = total
        return channel.give(ByteBuffer(bytes: bytes))
    }

    private func goesOn(_ downloaded: Int64) -> Bool {
        // libcurl drops the body of a redirect before the write callback, so its length is visible only here.
        if refusal == nil { refusal = sizeRefusal(downloaded) }
        return refusal == nil && !channel.isStopped
    }

    private func statusRefusal(_ status: Int) -> ServiceError? {
        guard !Transfer.isWhole(status) else { return nil }
        return ServiceError(
            .badRequest,
            "The server of url answered with status \(status) instead of the file.",
            cause: RefusedStatus(status: status)
        )
    }

    private func sizeRefusal(_ size: Int64) -> ServiceError? {
        guard size > limits.size else { return nil }
        return tooLarge(cause: nil)
    }

    /// Whether a response of that status contains the whole file; 206 is a part that was not requested.
    private static func isWhole(_ status: Int) -> Bool {
        (200..<300).contains(status) && status != 206
    }
}

// MARK: Errors

extension Transfer {
    /// The error for a failed transfer.
    ///
    /// All failures before a response have the same message, so that a client learns neither which hosts exist in the
    /// private network nor that an address was refused.
    private func meaning(of failure: CurlFailure, status: Int, after time: Duration) -> any Error {
        if let refusal { return refusal }
        if channel.isStopped { return CancellationError() }
        let cause = FetchFailure(failure: failure, refusedAddress: connections.refusedAddress)
        // libcurl measures time with its own clock; one second of tolerance.
        let isOver = time + .seconds(1) >= .seconds(limits.timeout)
        switch failure.reason {
        case .tooLarge:
            return tooLarge(cause: cause)
        case .tooManyRedirects:
            return ServiceError(
                .badRequest,
                "url redirects more than \(limits.redirects) times (fetch.maxRedirects).",
                cause: cause
            )
        case .unusableAddress, .logInRefused:
            return ServiceError(
                .badRequest,
                "url, or the target of a redirect, is not an http or https URL.",
                cause: cause
            )
        case .timedOut where isOver:
            return ServiceError(
                .timedOut,
                "The file at url did not arrive within \(limits.timeout) seconds (fetch.timeout).",
                cause: cause
            )
        case .timedOut where Transfer.isWhole(status):
            return ServiceError(
                .timedOut,
                "The server of url sent less than \(limits.minSpeed) bytes a second for \(limits.minSpeedTime) seconds "
                    + "(fetch.minSpeed).",
                cause: cause
            )
        case .brokenOff where Transfer.isWhole(status):
            return Transfer.cutShort(cause: cause)
        case .timedOut, .unreachable, .brokenOff, .encryptionFailed, .unexpectedReply, .stopped, .other:
            return ServiceError(
                .badRequest,
                "url, or the target of a redirect, cannot be reached from this server.",
                cause: cause
            )
        }
    }

    private static func cutShort(cause: FetchFailure?) -> ServiceError {
        ServiceError(.badRequest, "The server of url closed the connection before the file was complete.", cause: cause)
    }

    private func tooLarge(cause: FetchFailure?) -> ServiceError {
        ServiceError(
            .payloadTooLarge,
            "The file at url has more than \(limits.size) bytes (fetch.maxSize).",
            cause: cause
        )
    }
}
