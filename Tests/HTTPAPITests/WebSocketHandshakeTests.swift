import Domain
import NIOHTTP1
import RealtimeMessages
import Testing

@testable import HTTPAPI

/// Which requests are the handshake of a WebSocket.
@Suite struct WebSocketHandshakeTests {
    private static let fields = [
        ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Protocol", "lc.json.3"),
    ]

    /// A correct handshake in which a field has other values.
    private func head(_ name: String = "", _ values: [String] = []) -> HTTPRequestHead {
        var headers = HTTPHeaders(WebSocketHandshakeTests.fields)
        if !name.isEmpty { headers.remove(name: name) }
        for value in values { headers.add(name: name, value: value) }
        return HTTPRequestHead(version: .http1_1, method: .GET, uri: "/v1/ws", headers: headers)
    }

    @Test(
        "a handshake can be written in many ways",
        arguments: [
            ("Connection", ["keep-alive, Upgrade"]), ("Connection", ["keep-alive", "UPGRADE"]),
            ("Upgrade", ["WebSocket"]), ("Upgrade", ["h2c, websocket"]), ("Content-Length", ["0"]),
            ("Origin", ["https://evil.example.com"]), ("Sec-WebSocket-Extensions", ["permessage-deflate"]),
        ]
    )
    func forms(name: String, values: [String]) {
        #expect(WebSocketHandshake(head(name, values))?.format == .json)
    }

    @Test(
        "the first sub-protocol that the client offers and the server has is chosen",
        arguments: [
            (["lc.protobuf2.3"], RealtimeFormat.protobuf), (["lc.protobuf2.1,lc.protobuf2.3"], .protobufOfMessaging),
            (["x, lc.proto2base64.3 ,lc.json.3"], .base64), (["y", "lc.json.3"], .json),
        ]
    )
    func formats(offers: [String], format: RealtimeFormat) {
        #expect(WebSocketHandshake(head("Sec-WebSocket-Protocol", offers))?.format == format)
    }

    @Test(
        "what is missing or wrong is named",
        arguments: [
            ("Connection", [], WebSocketHandshake.Fault.isNone), ("Connection", ["close"], .isNone),
            ("Upgrade", [], .isNone), ("Upgrade", ["h2c"], .isNone),
            ("Sec-WebSocket-Version", [], .version), ("Sec-WebSocket-Version", ["8"], .version),
            ("Sec-WebSocket-Version", ["13", "13"], .version),
            ("Sec-WebSocket-Key", [], .key), ("Sec-WebSocket-Key", ["dGhl"], .key),
            ("Sec-WebSocket-Key", ["dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="], .key),
            ("Sec-WebSocket-Key", ["dGhlIHNhbXBsZSBub25j!Q=="], .key),
            ("Sec-WebSocket-Protocol", [], .format), ("Sec-WebSocket-Protocol", ["lc.json.2, LC.JSON.3"], .format),
        ]
    )
    func faults(name: String, values: [String], fault: WebSocketHandshake.Fault) {
        let head = head(name, values)
        #expect(WebSocketHandshake(head) == nil)
        #expect(throws: fault) { try WebSocketHandshake { head.headers[$0] } }
    }

    @Test("only GET of HTTP/1.1 without a body on the path is a handshake")
    func requests() {
        #expect(WebSocketHandshake(head("Content-Length", ["1"])) == nil)
        #expect(WebSocketHandshake(head("Transfer-Encoding", ["chunked"])) == nil)
        var other = head()
        other.uri = "/v1/ws?x=/v1/route"
        #expect(WebSocketHandshake(other) != nil)
        for uri in ["http://a/v1/ws", "HTTPS://a:8443/v1/ws?appId=app"] {
            other.uri = uri
            #expect(WebSocketHandshake(other)?.format == .json, "\(uri)")
        }
        #expect(WebSocketHandshake(other)?.app?.description == "app")
        for uri in ["/v1/ws/", "/v1/route", "/", "/x?/v1/ws", "http://a", "http:/v1/ws", "ws://a/v1/ws"] {
            other.uri = uri
            #expect(WebSocketHandshake(other) == nil, "\(uri)")
        }
        other = head()
        other.method = .POST
        #expect(WebSocketHandshake(other) == nil)
        other = head()
        other.version = .http1_0
        #expect(WebSocketHandshake(other) == nil)
    }
}
