internal import Curl
internal import Glibc

/// What a URL of the server answers, seen as a client sees it.
struct ServerProbe: Sendable {
    /// The URL without a slash at its end.
    let url: String
    /// Why there is no answer; `nil` if there is one.
    var failure: String?
    /// The status of `/health`.
    var status = 0
    /// The fields of its head, with names in lower case.
    var headers: [String: String] = [:]
    /// The first bytes of its body.
    var body = ""
    /// The seconds by which this machine's clock is ahead of the answer's `Date`; `nil` without one.
    var clockDifference: Int64?
    /// The whole days until the certificate ends; `nil` without TLS.
    var certificateDays: Int64?
    /// How a small answer is compressed for a client that accepts it, which lcfile does not do; `nil` if it is not.
    var encoding: String?
    /// The status that the handshake of a WebSocket gets; 0 if it was not tried.
    var upgradeStatus = 0
    /// The status of a request that announces a body of `uploads.maxSize`; 0 if it was not tried or is not known.
    var largeStatus = 0

    init(url: String) { self.url = url }

    /// Makes the requests; none of them changes anything.
    ///
    /// - Parameters:
    ///   - url: The server's URL.
    ///   - app: The id of an app, for the handshake; `nil` for none.
    ///   - size: `uploads.maxSize`.
    init(probing url: String, app: String?, size: Int64) {
        self.url = url
        do throws(CurlFailure) {
            try probeHealth()
            guard status == 200 else { return }
            encoding = try? probeEncoding()
            if let app { upgradeStatus = (try? probeUpgrade(app)) ?? 0 }
            largeStatus = (try? probeSize(size)) ?? 0
        } catch {
            failure = error.description
        }
    }

    private func handle(_ path: String) throws(CurlFailure) -> CurlHandle {
        try ServerProbe.handle(url + path)
    }

    /// A handle for a request to a URL as clients make it.
    static func handle(_ url: String) throws(CurlFailure) -> CurlHandle {
        let handle = try CurlHandle()
        try handle.set(.url, url)
        try handle.set(.userAgent, "lcfile-doctor")
        try handle.set(.connectTimeout, 5)
        try handle.set(.timeout, 10)
        try handle.useHTTP1()
        return handle
    }

    private mutating func probeHealth() throws(CurlFailure) {
        var handle = try handle("/health")
        try handle.set(.readsCertificate, true)
        let answer = ProbeAnswer(limit: 4096)
        try handle.perform(CurlCallbacks(receive: answer.receive, receiveHead: answer.receiveHead))
        let now = Int64(time(nil))
        (status, headers, body) = (answer.status, answer.headers, String(decoding: answer.body, as: UTF8.self))
        clockDifference = headers["date"].flatMap { ProbeTime.seconds(ofHTTP: $0) }.map { now - $0 }
        certificateDays = handle.certificateField("Expire date").flatMap { ProbeTime.seconds(ofCertificate: $0) }
            .map { ($0 - now) / 86_400 }
    }

    private func probeEncoding() throws(CurlFailure) -> String? {
        var handle = try handle("/health")
        try handle.addHeader("Accept-Encoding: gzip, br")
        let answer = ProbeAnswer(limit: 4096)
        try handle.perform(CurlCallbacks(receive: answer.receive, receiveHead: answer.receiveHead))
        return answer.headers["content-encoding"]
    }

    /// The status of a handshake; a proxy that knows no WebSockets forwards a request without `Upgrade`.
    private func probeUpgrade(_ app: String) throws(CurlFailure) -> Int {
        var handle = try handle("/v1/ws?appId=\(app)")
        for line in [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: bGNmaWxlLWRvY3Rvci0xMg==", "Sec-WebSocket-Protocol: lc.json.3",
        ] { try handle.addHeader(line) }
        let answer = ProbeAnswer(limit: 4096)
        try? handle.perform(
            // After 101 the connection stays open.
            CurlCallbacks(
                receive: answer.receive,
                goesOn: { _ in answer.status != 101 },
                receiveHead: answer.receiveHead
            )
        )
        return answer.status
    }

    /// The status of an upload without credentials, whose body is never sent.
    private func probeSize(_ size: Int64) throws(CurlFailure) -> Int {
        var handle = try handle("/1.1/files/doctor")
        try handle.setBodySize(size)
        try handle.set(.method, "POST")
        try handle.addHeader("Expect: 100-continue")
        let answer = ProbeAnswer(limit: 4096)
        try? handle.perform(
            CurlCallbacks(receive: answer.receive, receiveHead: answer.receiveHead, send: { _, _ in nil })
        )
        return answer.status
    }
}
