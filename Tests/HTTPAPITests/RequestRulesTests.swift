import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPAPI

/// Which heads are taken, and what becomes of their connections.
@Suite struct RequestRulesTests {
    private func framing(
        _ fields: [(String, String)],
        _ method: HTTPMethod = .GET,
        _ version: HTTPVersion = .http1_1
    ) throws(RequestRefusal) -> RequestRules.Framing {
        try RequestRules.check(
            HTTPRequestHead(version: version, method: method, uri: "/", headers: HTTPHeaders(fields))
        )
    }

    private func status(_ fields: [(String, String)], _ version: HTTPVersion = .http1_1) -> UInt? {
        do {
            _ = try framing([("Host", "a")] + fields, .POST, version)
            return nil
        } catch {
            return error.status.code
        }
    }

    @Test(
        "only one coding is taken, once and in one form",
        arguments: [
            ("chunked", nil), ("Chunked", nil), ("", 400), ("xchunked", 501), ("identity", 501), ("gzip", 501),
            ("chunked;q=1", 400), ("chunked x", 400), ("\tchunked", 400), ("chunked\t", 400), ("gzip, chunked", 501),
            ("chunked, chunked", 400), ("chunked, gzip", 400), (",chunked", 400), ("chunked,", 400),
            ("\"chunked\"", 400),
        ] as [(String, UInt?)]
    )
    func transferEncoding(value: String, refusal: UInt?) {
        #expect(status([("Transfer-Encoding", value)]) == refusal)
        #expect(status([("tRANSFER-eNCODING", value)]) == refusal)
    }

    @Test("the length of a body is said once")
    func twoLengths() {
        #expect(status([("Transfer-Encoding", "chunked"), ("Content-Length", "5")]) == 400)
        #expect(status([("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")]) == 400)
        #expect(status([("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "")]) == 400)
        #expect(status([("Content-Length", "5"), ("content-length", "5")]) == 400)
        #expect(status([("Transfer-Encoding", "chunked")], .http1_0) == 400)
    }

    @Test(
        "a length is a number",
        arguments: [
            ("0", nil), ("5", nil), ("05", nil), ("+5", 400), ("-5", 400), ("5,5", 400), ("", 400), ("5 5", 400),
            ("0x5", 400), ("5.0", 400), ("٥", 400), ("9223372036854775808", 400),
        ] as [(String, UInt?)]
    )
    func contentLength(value: String, refusal: UInt?) {
        #expect(status([("Content-Length", value)]) == refusal)
    }

    @Test(
        "a host is a name or an address, and perhaps a port",
        arguments: [
            ("example.com", true), ("example.com:8080", true), ("127.0.0.1:80", true), ("[::1]", true),
            ("[::1]:80", true),
            ("a_b-c.d", true), ("localhost:", true), ("%41", true), ("", false), ("a b", false), ("a/b", false),
            ("a@b", false), ("a:b", false), ("a:80:80", false), ("[::1", false), ("::1", false), ("[]", false),
            ("a,b", true), ("http://a", false), ("a:123456", false), ("%4", false), ("\u{e9}", false), (":80", false),
            ("a\t", false), ("[::1]x", false), ("a\\b", false),
        ]
    )
    func host(value: String, isTaken: Bool) throws {
        #expect(HostField.isValid(value) == isTaken)
        let isRefused = (try? framing([("Host", value)])) == nil
        #expect(isRefused == !isTaken)
    }

    @Test("a request of HTTP/1.1 has one host, and one of HTTP/1.0 has one at most")
    func hosts() throws {
        #expect(throws: RequestRefusal.self) { try framing([]) }
        #expect(throws: RequestRefusal.self) { try framing([("Host", "a"), ("Host", "a")]) }
        #expect(throws: RequestRefusal.self) { try framing([("Host", "a"), ("host", "b")], .GET, .http1_0) }
        #expect(try framing([], .GET, .http1_0).isLast)
    }

    @Test(
        "the option close ends the connection, wherever it stands",
        arguments: [
            (["close"], true), (["Close"], true), (["CLOSE"], true), (["x, close"], true), (["keep-alive,close"], true),
            (["keep-alive", "close"], true), ([" close ,"], true), (["keep-alive"], false), (["closed"], false),
            ([""], false),
            ([], false),
        ]
    )
    func connection(values: [String], isLast: Bool) throws {
        let framing = try framing([("Host", "a")] + values.map { ("Connection", $0) })
        #expect(framing.isLast == isLast)
        // What Hummingbird compares with.
        #expect((framing.head.headers["Connection"] == ["close"]) == isLast)
    }

    @Test("options that are no words are refused", arguments: ["a b", "close;x", "\"close\"", "upgrade\t", "a\tb"])
    func badConnection(value: String) {
        #expect(status([("Connection", value)]) == 400)
    }

    @Test("HTTP/1.0 ends with the answer, and knows no 100 Continue")
    func old() throws {
        let fields = [("Connection", "keep-alive"), ("Expect", "100-continue")]
        let framing = try framing(fields, .POST, .http1_0)
        #expect(framing.isLast)
        #expect(!framing.head.headers.contains(name: "Expect"))
        #expect(try self.framing([("Host", "a")] + fields, .POST).head.headers.contains(name: "Expect"))
    }

    @Test("the decoder is known to stop where a request asks for another protocol")
    func upgrade() throws {
        #expect(try framing([("Host", "a"), ("Connection", "x, Upgrade"), ("Upgrade", "h2c")]).stopsDecoder)
        #expect(try !framing([("Host", "a"), ("Upgrade", "h2c")]).stopsDecoder)
        #expect(try !framing([("Host", "a"), ("Connection", "upgrade")]).stopsDecoder)
        #expect(try !framing([("Host", "a"), ("Connection", "upgrade"), ("Upgrade", "")]).stopsDecoder)
        #expect(throws: RequestRefusal.self) { try framing([("Host", "a")], .CONNECT) }
    }
}
