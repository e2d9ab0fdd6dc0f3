import Domain
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket
import RealtimeMessages
import Testing

@testable import HTTPAPI

/// How a connection of HTTP becomes a WebSocket, byte for byte.
@Suite struct WebSocketUpgradeTests {
    @Test("a handshake is accepted with the key of RFC 6455 and the sub-protocol")
    func accepted() throws {
        let connection = try LiveQueryConnection()
        connection.send(LiveQueryConnection.handshake(.protobuf))
        let response = try connection.sent()
        #expect(response.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        #expect(response.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(response.contains("Sec-WebSocket-Protocol: lc.protobuf2.3\r\n"))
        #expect(!response.lowercased().contains("transfer-encoding"))
        #expect(response.hasSuffix("\r\n\r\n"))
    }

    @Test("frames can follow the handshake in one piece, cut anywhere")
    func gluedFrames() throws {
        let bytes =
            Array(LiveQueryConnection.handshake().utf8) + LiveQueryConnection.bytes(.text, Array("{}".utf8))
            + LiveQueryConnection.bytes(.text, Array(#"{"cmd":"echo","i":2}"#.utf8))
        for cut in [1, 100, bytes.count - 30, bytes.count - 20, bytes.count - 1] {
            let connection = try LiveQueryConnection()
            connection.send(Array(bytes[..<cut]))
            connection.send(Array(bytes[cut...]))
            let sent = try connection.sent()
            #expect(sent.hasSuffix(#"{"cmd":"echo","i":2}"#) && sent.contains("\r\n\r\n\u{FFFD}\u{2}{}"))
        }
    }

    @Test("a connection that served requests becomes a WebSocket")
    func keptAlive() throws {
        let connection = try LiveQueryConnection()
        for _ in 0..<2 {
            connection.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            connection.channel.write(
                HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok, headers: ["Content-Length": "0"])),
                promise: nil
            )
            connection.channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        }
        _ = try connection.sent()
        try connection.upgrade()
        connection.text("{}")
        #expect(try connection.frames() == ["{}"])
    }

    @Test("a handshake is answered after the response to an earlier request")
    func outstanding() throws {
        let connection = try LiveQueryConnection()
        connection.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n" + LiveQueryConnection.handshake())
        #expect(try connection.sent() == "")
        var paths: [String] = []
        while let part = try connection.channel.readInbound(as: HTTPServerRequestPart.self) {
            if case .head(let head) = part { paths.append(head.uri) }
        }
        #expect(paths == ["/a"])
        connection.channel.write(
            HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok, headers: ["Content-Length": "0"])),
            promise: nil
        )
        connection.channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        connection.channel.embeddedEventLoop.run()
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.1 200 OK") && sent.contains("\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n"))
        connection.text("{}")
        #expect(try connection.frames() == ["{}"])
    }

    @Test("handshakes beyond the maximum go to their route, until a WebSocket is closed")
    func most() throws {
        let connection = try LiveQueryConnection(most: 0)
        connection.send(LiveQueryConnection.handshake())
        #expect(try connection.sent() == "")
        #expect(connection.live.refusal(of: nil) != nil)
        let other = try LiveQueryConnection(most: 1)
        try other.upgrade()
        #expect(other.live.refusal(of: nil) != nil)
        _ = try other.channel.finish()
        #expect(other.live.refusal(of: nil) == nil)
    }

    @Test("clients at one address have a quarter of the WebSockets, unless their address has no limit")
    func share() throws {
        let live = try LiveQueryConnection(most: 8).live
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: WebSocketHandshake.path)
        head.headers = [
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": RealtimeFormat.json.rawValue,
        ]
        var channels: [EmbeddedChannel] = []
        func isAccepted(from address: String) throws -> Bool {
            let channel = EmbeddedChannel()
            channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
            channels.append(channel)
            return live.accept(head, on: channel) != nil
        }
        let addresses = ["10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.2", "127.0.0.1", "127.0.0.1", "127.0.0.1"]
        let accepted = try addresses.map(isAccepted)
        #expect(accepted == [true, true, false, true, true, true, true])
        #expect(live.refusal(of: "10.0.0.1")?.message.contains("Clients at this address have 2 WebSockets") == true)
        #expect(live.refusal(of: "10.0.0.2") == nil)
        _ = try channels.first?.finish()
        #expect(live.refusal(of: "10.0.0.1") == nil)
        #expect(live.sockets.open == 5)
        for channel in channels.dropFirst() { _ = try channel.finish() }
        #expect(live.sockets.open == 0)
    }

    @Test("a server that stops refuses handshakes, and ends the connection")
    func stopping() throws {
        let connection = try LiveQueryConnection()
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        connection.send(LiveQueryConnection.handshake())
        let response = try connection.sent()
        #expect(response.hasPrefix("HTTP/1.1 503 "))
        #expect(response.contains("Connection: close\r\n"))
        #expect(connection.live.sockets.open == 0)
    }

    @Test("a handshake that waits for an earlier response when the server stops becomes a WebSocket that closes")
    func stoppingMeanwhile() throws {
        let connection = try LiveQueryConnection()
        connection.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n" + LiveQueryConnection.handshake())
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        connection.channel.write(
            HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok, headers: ["Content-Length": "0"])),
            promise: nil
        )
        connection.channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        connection.channel.embeddedEventLoop.run()
        #expect(try connection.sent().contains("HTTP/1.1 101 Switching Protocols\r\n"))
        connection.channel.embeddedEventLoop.advanceTime(by: LiveQueryHandler.closeTime)
        #expect(!connection.channel.isActive)
    }

    @Test("a WebSocket is an open connection, and never an idle one")
    func neverIdle() throws {
        let connection = try LiveQueryConnection.connected()
        connection.open.closeIdle(1, olderThan: .seconds(0))
        connection.channel.embeddedEventLoop.run()
        #expect(connection.channel.isActive)
        #expect(connection.open.count == 1)
        _ = try connection.channel.finish()
        #expect(connection.open.count == 0)
    }

    @Test("no handler of HTTP remains")
    func handlers() throws {
        let connection = try LiveQueryConnection.connected()
        let pipeline = connection.channel.pipeline.syncOperations
        #expect(throws: ChannelPipelineError.notFound) { try pipeline.handler(type: RequestGate.self) }
        #expect(throws: ChannelPipelineError.notFound) { try pipeline.handler(type: HTTPResponseEncoder.self) }
        #expect(throws: ChannelPipelineError.notFound) {
            try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        }
    }
}
