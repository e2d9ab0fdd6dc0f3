internal import Curl

/// One attempt at a request, on one handle and one thread.
final class S3Exchange {
    private let request: S3Request
    private let credentials: S3Credentials
    private let goesOn: () -> Bool
    private var response = S3Response()
    /// The error for which a callback ended the transfer.
    private var failure: S3Error?

    /// Bytes of an object that are received at once: 16 times libcurl's default, for as many fewer calls of the system.
    private static let receiveBufferSize = 256 << 10

    init(_ request: S3Request, signedWith credentials: S3Credentials, goesOn: @escaping () -> Bool) {
        self.request = request
        self.credentials = credentials
        self.goesOn = goesOn
    }

    /// Sends the request and returns its response, with any status.
    func perform(on handle: inout CurlHandle, for client: S3Client) throws(S3Error) -> S3Response {
        guard goesOn() else { throw S3Exchange.stopped }
        do throws(CurlFailure) {
            handle.reset()
            try prepare(&handle, for: client)
            try handle.perform(callbacks)
        } catch {
            if let failure { throw failure }
            guard goesOn() else { throw S3Exchange.stopped }
            // A store that refuses a body closes the connection while the client sends, after its response.
            if error.reason == .brokenOff, response.status >= 400 { return response }
            throw S3Exchange.error(error, client)
        }
        return response
    }

    private func prepare(_ handle: inout CurlHandle, for client: S3Client) throws(CurlFailure) {
        let (bucket, options) = (client.bucket, client.options)
        let path = bucket.pathPrefix + "/" + S3Encoding.path(request.key)
        let time = SigningTime(S3Client.now())
        let digest = request.body?.digests.sha256 ?? S3Digests.empty.sha256
        var headers = [("Host", bucket.host), ("X-Amz-Content-Sha256", digest), ("X-Amz-Date", time.text)]
        if let token = credentials.sessionToken { headers.append(("X-Amz-Security-Token", token)) }
        headers += request.headers.map { ($0.name, $0.value) }
        let message = SignatureV4.Message(
            method: request.method,
            path: path,
            query: request.query,
            headers: headers.map { (name: $0.0, value: $0.1) },
            bodyDigest: digest
        )
        let signature = SignatureV4(credentials: credentials, region: bucket.region)
        headers.append(("Authorization", signature.authorization(for: message, at: time)))
        for (name, value) in headers { try handle.addHeader("\(name): \(value)") }
        // Many stores do not answer it, which costs a second each time.
        try handle.addHeader("Expect:")
        let query = S3Encoding.query(request.query)
        try handle.set(.url, bucket.origin + path + (query.isEmpty ? "" : "?\(query)"))
        try handle.set(.pathAsIs, true)
        if request.method == "HEAD" {
            try handle.set(.headOnly, true)
        } else {
            if let body = request.body { try handle.setBodySize(body.size) }
            try handle.set(.method, request.method)
        }
        try handle.useHTTP1()
        try handle.set(.allowsHTTP09, false)
        try handle.set(.readsNetrc, false)
        try handle.set(.userAgent, options.userAgent)
        try handle.set(.connectTimeout, options.connectTimeout)
        try handle.set(.lowSpeedLimit, 1)
        try handle.set(.lowSpeedTime, options.idleTimeout)
        try handle.set(.timeout, options.timeout)
        if request.receive != nil { try handle.set(.receiveBufferSize, S3Exchange.receiveBufferSize) }
        if let caFile = options.caFile { try handle.set(.caFile, caFile) }
    }

    private var callbacks: CurlCallbacks {
        var sender: ((UnsafeMutableRawBufferPointer, Int64) -> Int?)?
        if let body = request.body { sender = { buffer, offset in self.send(body, buffer, offset) } }
        return CurlCallbacks(
            receive: { bytes, _ in self.receive(bytes) },
            goesOn: { _ in self.goesOn() },
            receiveHead: { line in self.receiveHead(line) },
            send: sender
        )
    }

    private func receiveHead(_ line: String) {
        switch HeadLine(line) {
        case .status(let status): response = S3Response(status: status)
        case .field(let name, let value) where response.headers.count < 100: response.headers[name] = value
        case .field, nil: break
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(S3Error) {
            if let receive = request.receive, (200..<300).contains(response.status) {
                try receive(response, bytes)
            } else if response.body.count + bytes.count <= request.limit {
                response.body.append(contentsOf: bytes)
            } else {
                throw S3Error(.tooLarge, "the answer of the S3 store has more than \(request.limit) bytes")
            }
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func send(_ body: S3Body, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) -> Int? {
        do throws(S3Error) {
            return try body.read(buffer, offset)
        } catch {
            failure = error
            return nil
        }
    }

    /// The error of a request that its caller has stopped.
    static var stopped: S3Error { S3Error(.stopped, "the request to the S3 store was stopped") }

    /// The meaning of a transfer without a complete response.
    private static func error(_ failure: CurlFailure, _ client: S3Client) -> S3Error {
        let origin = client.bucket.origin
        switch failure.reason {
        case .unreachable:
            let detail = failure.detail.isEmpty ? failure.text : failure.detail
            return S3Error(.unavailable, "\(origin) cannot be reached: \(detail)", isTemporary: true)
        case .timedOut:
            let seconds = client.options.idleTimeout
            let text = "\(origin) sent or took nothing for \(seconds) seconds, or no connection was made"
            return S3Error(.unavailable, text, isTemporary: true)
        case .brokenOff, .other:
            let text = "\(origin) closed the connection before its answer was complete: \(failure.text)"
            return S3Error(.unavailable, text, isTemporary: true)
        case .encryptionFailed:
            return S3Error(.unavailable, "the connection to \(origin) cannot be encrypted: \(failure.description)")
        case .unusableAddress, .tooLarge, .tooManyRedirects, .unexpectedReply, .logInRefused, .stopped:
            return S3Error(.unavailable, "\(origin) does not answer as an S3 store: \(failure.text)")
        }
    }
}
