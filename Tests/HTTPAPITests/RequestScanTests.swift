import NIOCore
import Testing

@testable import HTTPAPI

/// Which requests are recognised before the decoder.
@Suite struct RequestScanTests {
    private func scan(_ text: String) -> RequestScan {
        RequestScan(ByteBuffer(string: text))
    }

    /// A request with further fields after `Host`.
    private func request(_ fields: String..., line: String = "GET /a HTTP/1.1") -> String {
        "\(line)\r\nHost: a\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n"
    }

    @Test("a plain request is simple, and tells its method, target, tags and length")
    func simple() {
        let get = request()
        #expect(scan(get) == .simple(SimpleRequest(isHead: false, target: "/a", tags: nil, length: get.utf8.count)))
        let head = request("if-none-match:\t\"x\", \"y\" \t", line: "HEAD /a/b%20c?d=e&f#g HTTP/1.1")
        let expected = SimpleRequest(
            isHead: true,
            target: "/a/b%20c?d=e&f#g",
            tags: "\"x\", \"y\"",
            length: head.utf8.count
        )
        #expect(scan(head) == .simple(expected))
    }

    @Test("the bytes of the next request do not count")
    func next() {
        let get = request()
        #expect(scan(get + get) == scan(get))
        #expect(scan(get + "\r\n") == scan(get))
        #expect(scan(get + "x") == scan(get))
    }

    @Test(
        "fields that do not change the response leave a request simple",
        arguments: [
            "User-Agent: Mozilla/5.0 (X11; Linux x86_64)", "Accept: image/webp, */*;q=0.8", "Accept-Encoding: gzip",
            "Cookie: a=b; c=d", "Origin: https://example.com", "Referer: http://a/\u{e9}", "Connection: keep-alive",
            "connection:KEEP-ALIVE", "X-Empty:", "X-LC-Session: abc", "Content-Type: text/plain", "Host2: b",
            "!#$%&'*+-.^_`|~0aZ: x", "If-None-Match: *", "If-None-Match:",
        ]
    )
    func harmless(field: String) {
        guard case .simple(let simple) = scan(request(field)) else {
            Issue.record("\(field) is not simple")
            return
        }
        #expect(simple.length == request(field).utf8.count)
    }

    @Test(
        "requests whose response depends on more are whole, but not simple",
        arguments: [
            "Range: bytes=0-1", "RANGE: x", "If-Range: \"x\"", "If-Match: \"x\"",
            "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", "If-Unmodified-Since: x",
            "If-None-Match: \"x\"\r\nIf-None-Match: \"y\"", "If-None-Match: \"\u{e9}\"",
        ]
    )
    func whole(field: String) {
        #expect(scan(request(field)) == .whole(request(field).utf8.count))
    }

    @Test(
        "hosts of unusual characters are left to the gate",
        arguments: [
            "", "[::1]", "[::1]:80", "a_b", "a:b", "a:", "a:123456", "a b", "a,b", "b@a", "%41", "\u{e9}", "a ", "a\t",
        ]
    )
    func hosts(host: String) {
        let text = "GET /a HTTP/1.1\r\nHost: \(host)\r\n\r\n"
        // RFC 3986 allows an empty port.
        if host == "a:" {
            let simple = SimpleRequest(isHead: false, target: "/a", tags: nil, length: text.utf8.count)
            #expect(scan(text) == .simple(simple))
        } else {
            #expect(scan(text) == .doubtful(text.utf8.count))
        }
    }

    @Test("the hosts that the scan accepts are accepted by the gate", arguments: ["a", "a.b-c", "1.2.3.4:80", "A:"])
    func acceptedHosts(host: String) {
        guard case .simple = scan("GET /a HTTP/1.1\r\nHost: \(host)\r\n\r\n") else {
            Issue.record("\(host) is not simple")
            return
        }
        #expect(HostField.isValid(host))
    }

    @Test(
        "anything that can change where a request ends, or what follows it, is unclear",
        arguments: [
            // A body.
            "Content-Length: 0", "Content-Length: 5", "content-length:", "Transfer-Encoding: chunked",
            "transfer-encoding: identity", "Content-Length : 5", "Transfer-Encoding : chunked",
            // The connection.
            "Connection: close", "Connection: keep-alive, close", "Connection: upgrade", "Connection:",
            "Connection: keep-alive ", "Connection: keep-alive\t", "Proxy-Connection: keep-alive", "Upgrade: h2c",
            "Expect: 100-continue", "TE: trailers", "Trailer: x",
            // The form of fields.
            " folded: a", "\tfolded: a", "a", ": b", "a b: c", "a\u{0}: b", "a: b\u{0}", "a: b\u{7f}", "a: b\rc",
            "a: b\nc: d", "a: b\n", "\u{e9}: a", "a(: b", "Host: b", "HOST: a",
        ]
    )
    func unclear(field: String) {
        #expect(scan(request(field)) == .unclear)
    }

    @Test(
        "other request lines are unclear",
        arguments: [
            "POST /a HTTP/1.1", "get /a HTTP/1.1", "GET  /a HTTP/1.1", "GET /a  HTTP/1.1", "GET\t/a HTTP/1.1",
            " GET /a HTTP/1.1", "GET /a HTTP/1.0", "GET /a HTTP/1.2", "GET /a HTTP/2.0", "GET /a http/1.1", "GET /a",
            "GET a HTTP/1.1", "GET http://a/a HTTP/1.1", "GET * HTTP/1.1", "OPTIONS * HTTP/1.1", "GET /a HTTP/1.1 ",
            "GET /\u{e9} HTTP/1.1", "GET /a\u{0} HTTP/1.1", "GET /a\u{7f} HTTP/1.1", "GET /a\tb HTTP/1.1",
            "\r\nGET /a HTTP/1.1", "GET /a HTTP/1.1\r", "", "GET", "GET /",
        ]
    )
    func lines(line: String) {
        #expect(scan(request(line: line)) == .unclear)
    }

    @Test("a request without a host, with bare line feeds, or without its end is unclear")
    func incomplete() {
        #expect(scan("GET /a HTTP/1.1\r\n\r\n") == .unclear)
        #expect(scan("GET /a HTTP/1.1\nHost: a\n\n") == .unclear)
        #expect(scan("GET /a HTTP/1.1\r\nHost: a\r\n\n") == .unclear)
        let get = Array(request("Accept: */*").utf8)
        for length in 0..<get.count {
            #expect(RequestScan(ByteBuffer(bytes: get.prefix(length))) == .unclear, "\(length)")
        }
    }

    @Test("heads of more fields or bytes than the limits are unclear")
    func limits() {
        let most = RequestScan.maxFields - 1
        let many = (0..<most).map { "a\($0): b\r\n" }.joined()
        #expect(scan("GET /a HTTP/1.1\r\nHost: a\r\n\(many)\r\n") != .unclear)
        #expect(scan("GET /a HTTP/1.1\r\nHost: a\r\n\(many)a: b\r\n\r\n") == .unclear)
        let empty = request("a: ").utf8.count
        let long = request("a: " + String(repeating: "x", count: RequestScan.longest - empty))
        #expect(long.utf8.count == RequestScan.longest)
        #expect(scan(long) != .unclear)
        #expect(scan(request("a: " + String(repeating: "x", count: RequestScan.longest - empty + 1))) == .unclear)
    }
}
