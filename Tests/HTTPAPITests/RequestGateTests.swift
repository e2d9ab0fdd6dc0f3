import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPAPI

/// A connection's bytes through NIO's decoder and the gate.
@Suite struct RequestGateTests {
    private final class Connection {
        let channel = EmbeddedChannel()
        let open = OpenConnections()
        let metrics = RequestMetrics()

        /// The counted requests as group, method and status.
        var counts: [String] {
            metrics.counts.map { "\($0.group) \($0.method) \($0.status ?? 0) x\($0.value)" }
        }

        init() throws {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(LingeringCloseHandler())
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(HTTP1Pipeline.decoder())
            try pipeline.addHandler(RequestGate(connections: open, metrics: metrics, logger: Logger(label: "test")))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        /// Sends bytes as one piece; errors that reach the end of the pipeline do not count.
        func send(_ text: String) {
            _ = try? channel.writeInbound(ByteBuffer(string: text))
            channel.embeddedEventLoop.run()
        }

        /// Closes the connection as a client that disconnects does; the handlers then leave it.
        func close() throws {
            try channel.close().wait()
            channel.embeddedEventLoop.run()
        }

        /// The next request's path, when its head and its end came; bodies are passed over.
        func request() throws -> String? {
            guard let part = try channel.readInbound(as: HTTPServerRequestPart.self) else { return nil }
            guard case .head(let head) = part else { return try request() }
            while let rest = try channel.readInbound(as: HTTPServerRequestPart.self) {
                if case .end = rest { return head.uri }
            }
            return nil
        }

        func answer(_ status: HTTPResponseStatus = .ok, length: Int? = 0) {
            var head = HTTPResponseHead(version: .http1_1, status: status)
            if let length { head.headers.add(name: "Content-Length", value: String(length)) }
            channel.write(HTTPServerResponsePart.head(head), promise: nil)
            channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        }

        func sent() throws -> String {
            var text = ""
            while let piece = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: piece) }
            return text
        }
    }

    private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("Date is that of the moment in which the response leaves")
    func date() throws {
        let connection = try Connection()
        connection.send(get)
        #expect(try connection.request() == "/a")
        let headers: HTTPHeaders = ["Date": "Thu, 01 Jan 1970 00:00:00 GMT", "Content-Length": "0"]
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
        connection.channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
        let sent = try connection.sent()
        #expect(sent.contains("\r\nDate: "))
        #expect(!sent.contains("1970"))
    }

    @Test("a server that drains ends each connection with its next response, of the last request that has arrived")
    func draining() throws {
        let connection = try Connection()
        connection.send(get)
        #expect(try connection.request() == "/a")
        connection.answer()
        #expect(try !connection.sent().contains("close"))
        connection.open.drain()
        connection.send(get + get)
        for isLast in [false, true] {
            #expect(try connection.request() == "/a")
            connection.answer()
            #expect(try connection.sent().contains("Connection: close\r\n") == isLast)
        }
        connection.send(get)
        #expect(try connection.request() == nil)
    }

    @Test(
        "a response in the place of 100 Continue ends the connection, unless the client has begun to send the body",
        arguments: [
            ("Expect: 100-continue\r\nContent-Length: 5\r\n\r\n", true),
            ("expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n\r\n", true),
            ("Expect: 100-continue\r\nContent-Length: 5\r\n\r\nh", false),
            ("Expect: 100-continue\r\nContent-Length: 0\r\n\r\n", false),
            ("Expect: 100-continue\r\n\r\n", false),
            ("Expect: nothing\r\nContent-Length: 5\r\n\r\n", false),
        ]
    )
    func expecting(rest: String, ends: Bool) throws {
        let connection = try Connection()
        connection.send("POST /a HTTP/1.1\r\nHost: a\r\n" + rest)
        connection.answer(.notFound)
        #expect(try connection.sent().contains("Connection: close\r\n") == ends)
    }

    @Test("after 100 Continue, and behind another request, a response does not end the connection")
    func continued() throws {
        let connection = try Connection()
        let post = "POST /b HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
        connection.send(get + post)
        connection.answer()
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        connection.channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
        connection.answer(.notFound)
        #expect(try !connection.sent().contains("Connection: close\r\n"))
    }

    @Test("what is refused is answered, and nothing behind it is taken")
    func refused() throws {
        let connection = try Connection()
        connection.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n" + get)
        #expect(try connection.request() == nil)
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(sent.contains("Connection: close\r\n"))
        #expect(sent.hasSuffix("\"}"))
        connection.send(get)
        #expect(try connection.request() == nil)
    }

    @Test("a refusal waits for the answers before it")
    func order() throws {
        let connection = try Connection()
        connection.send(get + "GET /b HTTP/1.1\r\n\r\n")
        #expect(try connection.request() == "/a")
        #expect(try connection.sent() == "")
        connection.answer()
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(sent.contains("HTTP/1.1 400 Bad Request\r\n"))
    }

    @Test(
        "what the decoder does not understand is refused with its own status",
        arguments: [
            ("nonsense\r\n\r\n", 400), ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 90_000) + "\r\n\r\n", 431),
            ("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 1100) + "\r\n", 431),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n", 400),
        ]
    )
    func malformed(bytes: String, status: Int) throws {
        let connection = try Connection()
        connection.send(bytes)
        #expect(try connection.sent().hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test("a request has one answer, also if its body proves to be malformed afterwards")
    func oneAnswer() throws {
        let connection = try Connection()
        connection.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.send("nonsense\r\n")
        connection.answer()
        #expect(try connection.sent().contains("Connection: close\r\n"))
        connection.answer(.badRequest)
        #expect(try connection.sent() == "")
    }

    @Test("a head whose coding the decoder reads in another way is refused")
    func otherReading() throws {
        let connection = try Connection()
        connection.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\tchunked\r\n\r\n" + get)
        #expect(try connection.request() == nil)
        #expect(try connection.sent().hasPrefix("HTTP/1.1 400 "))
    }

    @Test("the last answer says that the connection ends, and no request is taken behind it")
    func last() throws {
        let connection = try Connection()
        connection.send(get + "GET /b HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n" + get)
        #expect(try connection.request() == "/a")
        #expect(try connection.request() == "/b")
        #expect(try connection.request() == nil)
        connection.answer()
        #expect(try !connection.sent().contains("Connection: close"))
        connection.answer()
        #expect(try connection.sent().contains("Connection: close"))
    }

    @Test("an answer of unknown length to HTTP/1.0 is not chunked")
    func old() throws {
        let connection = try Connection()
        connection.send("GET /a HTTP/1.0\r\n\r\n")
        #expect(try connection.request() == "/a")
        connection.answer(length: nil)
        let sent = try connection.sent()
        #expect(sent.hasPrefix("HTTP/1.0 200 OK\r\n"))
        #expect(!sent.lowercased().contains("chunked"))
    }

    @Test(
        "a request that asks for another protocol is answered, and so is the next one",
        arguments: ["h2c", "websocket", "TLS/1.0"],
        ["Upgrade", "upgrade, HTTP2-Settings", "keep-alive,  UPGRADE"]
    )
    func upgrade(name: String, options: String) throws {
        let connection = try Connection()
        let asking = "GET /a HTTP/1.1\r\nHost: a\r\nUpgrade: \(name)\r\nConnection: \(options)\r\n\r\n"
        // The next one in the same piece, half of it, and in one of its own.
        connection.send(asking + "GET /b HTTP/1.1\r\nHo")
        connection.answer()
        connection.send("st: a\r\n\r\n")
        connection.answer()
        connection.send(asking)
        connection.answer()
        connection.send(get)
        #expect(try connection.request() == "/a")
        #expect(try connection.request() == "/b")
        #expect(try connection.request() == "/a")
        #expect(try connection.request() == "/a")
    }

    @Test("one that does not ask for another protocol in truth keeps its decoder", arguments: ["keep-alive", "x"])
    func noUpgrade(options: String) throws {
        let connection = try Connection()
        connection.send("GET /a HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: \(options)\r\n\r\n" + get + get)
        #expect(try connection.request() == "/a")
        #expect(try connection.request() == "/a")
        #expect(try connection.request() == "/a")
    }

    @Test("a body before another protocol is read")
    func upgradeWithBody() throws {
        let connection = try Connection()
        connection.send(
            "POST /a HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 3\r\n\r\nabc" + get
        )
        #expect(try connection.request() == "/a")
        #expect(try connection.request() == "/a")
    }

    @Test("idle connections are closed on demand, busy ones are not")
    func idle() throws {
        let (idle, busy) = (try Connection(), try Connection())
        busy.send(get)
        for connection in [idle, busy] { connection.open.closeIdle(1, olderThan: .seconds(0)) }
        idle.channel.embeddedEventLoop.run()
        busy.channel.embeddedEventLoop.run()
        #expect(!idle.channel.isActive)
        #expect(busy.channel.isActive)
        #expect(busy.open.count == 1)
        busy.answer()
        busy.open.closeIdle(1, olderThan: .seconds(60))
        #expect(busy.channel.isActive)
        busy.open.closeIdle(1, olderThan: .seconds(0))
        busy.channel.embeddedEventLoop.run()
        #expect(!busy.channel.isActive)
        #expect(busy.open.count == 0)
    }

    // MARK: Counts

    @Test("a request counts with the status and the bytes of its response")
    func counted() throws {
        let connection = try Connection()
        connection.send("POST /1.1/classes/A HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        #expect(connection.metrics.inProgress == 1)
        connection.channel.write(HTTPServerResponsePart.head(.init(version: .http1_1, status: .continue)), promise: nil)
        connection.answer(.created)
        #expect(connection.counts == ["objects post 201 x1"])
        #expect(connection.metrics.bytes(of: .objects).received == 3)
    }

    @Test("pipelined requests count in their order")
    func pipelined() throws {
        let connection = try Connection()
        connection.send(get + "HEAD /1.1/classes/A HTTP/1.1\r\nHost: a\r\n\r\n")
        connection.answer(.notFound)
        connection.answer(.ok)
        #expect(Set(connection.counts) == ["files get 404 x1", "objects head 200 x1"])
    }

    @Test(
        "what the gate refuses counts",
        arguments: [
            ("GET /a HTTP/1.1\r\n\r\n", "files get 400 x1"), ("\u{1}\r\n\r\n", "malformed other 400 x1"),
            ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", "files other 501 x1"),
        ]
    )
    func refusedCounts(text: String, count: String) throws {
        let connection = try Connection()
        connection.send(text)
        #expect(connection.counts == [count])
        #expect(connection.metrics.inProgress == 0)
    }

    @Test("a request whose client leaves before the response counts as 499")
    func abandoned() throws {
        let connection = try Connection()
        connection.send(get)
        try connection.close()
        #expect(connection.counts == ["files get 499 x1"])
        #expect(connection.metrics.cutOff(of: .files) == 1)
    }

    @Test("a response that is cut off counts with its status")
    func cutOff() throws {
        let connection = try Connection()
        connection.send(get)
        connection.channel.write(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)), promise: nil)
        try connection.close()
        #expect(connection.counts == ["files get 200 x1"])
        #expect(connection.metrics.cutOff(of: .files) == 1)
    }
}
