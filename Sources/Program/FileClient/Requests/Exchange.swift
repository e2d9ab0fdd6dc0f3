internal import Curl
internal import FoundationEssentials

/// A request and its response on one handle, on one thread.
final class Exchange {
    /// The maximum size of a stored body in bytes; responses of the API are small.
    static let bodyLimit = 64 << 20
    private let request: Request
    private let control: TransferControl
    private var response = Response()
    /// The error for which a callback ended the transfer.
    private var failure: (any Error)?

    init(_ request: Request, _ control: TransferControl) {
        self.request = request
        self.control = control
    }

    /// Sends the request and returns its response, with any status; blocks until then.
    ///
    /// - Throws: ``FileClientError`` if there is no complete response, `CancellationError`, or the error of the body.
    func perform(on handle: inout CurlHandle, _ options: FileClientOptions) throws -> Response {
        guard !control.isCancelled else { throw CancellationError() }
        // The handle would hold on to what the callbacks refer to, such as open files, until its next transfer.
        defer { handle.reset() }
        do throws(CurlFailure) {
            handle.reset()
            try prepare(&handle, options)
            try handle.perform(callbacks)
        } catch {
            if let failure { throw failure }
            if control.isCancelled { throw CancellationError() }
            // A server that refuses a body closes the connection while the client sends, after its response.
            guard error.reason != .brokenOff || response.status < 400 else { return response }
            throw FileClientError(Exchange.kind(of: error), Exchange.message(of: error))
        }
        return response
    }

    private func prepare(_ handle: inout CurlHandle, _ options: FileClientOptions) throws(CurlFailure) {
        for header in request.headers { try handle.addHeader(header) }
        try handle.set(.url, request.url)
        if request.method == "HEAD" {
            try handle.set(.headOnly, true)
        } else {
            if let body = request.body { try handle.setBodySize(body.size) }
            try handle.set(.method, request.method)
        }
        try handle.set(.userAgent, options.userAgent)
        // The server must see and refuse a class called `..`.
        try handle.set(.pathAsIs, true)
        try handle.set(.connectTimeout, options.connectTimeout)
        try handle.set(.lowSpeedLimit, 1)
        try handle.set(.lowSpeedTime, options.idleTimeout)
        if !options.verifiesCertificates { try handle.acceptAnyCertificate() }
        if request.followsRedirects {
            try handle.set(.followsRedirects, true)
            try handle.set(.maxRedirects, 5)
            try handle.set(.redirectProtocols, "http,https")
        }
    }

    private var callbacks: CurlCallbacks {
        var sender: ((UnsafeMutableRawBufferPointer, Int64) -> Int?)?
        if let body = request.body { sender = { buffer, offset in self.send(body, buffer, offset) } }
        return CurlCallbacks(
            receive: { bytes, _ in self.receive(bytes) },
            goesOn: { _ in !self.control.isCancelled },
            receiveHead: { line in self.receiveHead(line) },
            send: sender
        )
    }

    private func receiveHead(_ line: String) {
        switch HeadLine(line) {
        case .status(let status): response = Response(status: status)
        case .field(let name, let value): response.headers[name] = value
        case nil: break
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        control.account(for: bytes.count)
        guard !control.isCancelled else { return false }
        if let consumer = request.receive, (200..<300).contains(response.status) {
            do {
                try consumer(response, bytes)
                return true
            } catch {
                failure = error
                return false
            }
        }
        guard response.body.count + bytes.count <= Exchange.bodyLimit else {
            failure = FileClientError(.unexpectedAnswer, "the answer is longer than \(Exchange.bodyLimit) bytes")
            return false
        }
        response.body.append(contentsOf: bytes)
        return true
    }

    private func send(_ body: RequestBody, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) -> Int? {
        guard !control.isCancelled else { return nil }
        do {
            let count = try body.read(buffer, offset)
            control.account(for: count)
            request.sent?(offset + Int64(count))
            return count
        } catch {
            failure = error
            return nil
        }
    }

    private static func kind(of failure: CurlFailure) -> FileClientError.Kind {
        switch failure.reason {
        case .unreachable: .unreachable
        case .timedOut, .brokenOff: .interrupted
        case .unusableAddress, .logInRefused: .local
        case .tooLarge, .tooManyRedirects: .unexpectedAnswer
        // TLS and HTTP; also a connection that ended while the request was sent.
        case .encryptionFailed, .unexpectedReply, .stopped, .other: .interrupted
        }
    }

    private static func message(of failure: CurlFailure) -> String {
        failure.reason == .unreachable && !failure.detail.isEmpty ? failure.detail : failure.text
    }
}
