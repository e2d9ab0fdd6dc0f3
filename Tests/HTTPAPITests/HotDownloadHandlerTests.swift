import Domain
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPAPI

/// A connection's bytes through the handler of hot downloads, NIO's decoder and the gate.
@Suite struct HotDownloadHandlerTests {
    /// A socket that accepts bytes only when the test says so.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = IOData

        var sent = ""
        var reads = 0
        var isBlocked = false
        private var context: ChannelHandlerContext?

        func handlerAdded(context: ChannelHandlerContext) {
            self.context = context
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            self.context = nil
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .byteBuffer(let bytes) = unwrapOutboundIn(data) { sent += String(buffer: bytes) }
            context.write(data, promise: promise)
        }

        func flush(context: ChannelHandlerContext) {
            if !isBlocked { context.flush() }
        }

        func read(context: ChannelHandlerContext) {
            reads += 1
            context.read()
        }

        /// Accepts what was written.
        func accept() {
            context?.flush()
        }

        /// What was sent since the last call.
        func take() -> String {
            defer { sent = "" }
            return sent
        }
    }

    private final class Connection {
        let channel = EmbeddedChannel()
        let socket = Socket()
        let activity = ConnectionActivity()
        let downloads = HotDownloads(limits: HotDownloadLimits(), feeds: [])

        init() throws {
            let gate = RequestGate(connections: OpenConnections(), activity: activity, logger: Logger(label: "test"))
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            let log = HotDownloadLog(logger: logger)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(socket)
            try pipeline.addHandler(
                HotDownloadHandler(downloads: downloads, gate: gate, activity: activity, log: log)
            )
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(HTTPConnection.decoder())
            try pipeline.addHandler(gate)
            try pipeline.addHandler(ConnectionLifetime(idleTimeout: .seconds(60), activity: activity))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            prepare("/hot")
        }

        func prepare(_ target: String) {
            let response = Response(status: .ok, headers: [.eTag: "\"tag\"", .contentLength: "4"])
            let download = HotDownload(
                response,
                path: target,
                tag: EntityTag(quoted: "\"tag\""),
                body: .memory(ByteBuffer(string: "body")),
                size: 4
            )
            downloads.store(download, for: target, dependingOn: [target], epoch: 0)
        }

        func send(_ text: String) {
            _ = try? channel.writeInbound(ByteBuffer(string: text))
        }

        /// The targets of the requests that the routes got since the last call.
        func routed() throws -> [String] {
            var targets: [String] = []
            while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
                if case .head(let head) = part { targets.append(head.uri) }
            }
            return targets
        }

        /// The response of a route.
        func answer() {
            let head = HTTPResponseHead(version: .http1_1, status: .accepted, headers: ["Content-Length": "0"])
            channel.write(HTTPServerResponsePart.head(head), promise: nil)
            channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        }

        /// Whether the handler is still there.
        var isWatched: Bool {
            (try? channel.pipeline.syncOperations.handler(type: HotDownloadHandler.self)) != nil
        }
    }

    private func get(_ target: String, _ fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    private func statuses(_ sent: String) -> [String] {
        sent.split(separator: "HTTP/1.1 ").map { String($0.prefix(3)) }
    }

    @Test("a hot request is answered without a route")
    func hot() throws {
        let connection = try Connection()
        connection.send(get("/hot"))
        let sent = connection.socket.take()
        #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\nETag: \"tag\"\r\nContent-Length: 4\r\nX-Request-Id: "))
        #expect(sent.contains("\r\nDate: "))
        #expect(sent.hasSuffix("\r\nServer: lcfile\r\n\r\nbody"))
        #expect(try connection.routed() == [])
        #expect(connection.activity.idleSince != nil)
    }

    @Test("HEAD has the same head and no body")
    func headRequest() throws {
        let connection = try Connection()
        connection.send("HEAD /hot HTTP/1.1\r\nHost: a\r\n\r\n")
        let sent = connection.socket.take()
        #expect(sent.contains("Content-Length: 4\r\n"))
        #expect(sent.hasSuffix("\r\nServer: lcfile\r\n\r\n"))
    }

    @Test(
        "a client that has the bytes gets 304, and another 200",
        arguments: [
            ("\"tag\"", "304"), ("W/\"tag\"", "304"), ("*", "304"), ("\"x\", \"tag\"", "304"), ("\"x\"", "200"),
        ]
    )
    func conditions(tags: String, status: String) throws {
        let connection = try Connection()
        connection.send(get("/hot", "If-None-Match: \(tags)\r\n"))
        let sent = connection.socket.take()
        #expect(statuses(sent) == [status])
        #expect(sent.hasSuffix("body") == (status == "200"))
    }

    @Test("other targets, and requests with other conditions, take the route; then the next is hot again")
    func cold() throws {
        let connection = try Connection()
        for request in [get("/cold"), get("/hot", "Range: bytes=0-1\r\n"), get("/hot?a=b")] {
            connection.send(request)
            #expect(try connection.routed().count == 1)
            #expect(connection.socket.take() == "")
            connection.answer()
            #expect(statuses(connection.socket.take()) == ["202"])
            connection.send(get("/hot"))
            #expect(statuses(connection.socket.take()) == ["200"])
        }
        #expect(connection.isWatched)
    }

    @Test("a hot request behind an unanswered one takes the route, so the order stays")
    func order() throws {
        let connection = try Connection()
        connection.send(get("/cold"))
        connection.send(get("/hot"))
        #expect(try connection.routed() == ["/cold", "/hot"])
        #expect(connection.socket.take() == "")
        connection.answer()
        connection.send(get("/hot"))
        // The second response is missing.
        #expect(try connection.routed() == ["/hot"])
        connection.answer()
        connection.answer()
        #expect(statuses(connection.socket.take()) == ["202", "202", "202"])
        connection.send(get("/hot"))
        #expect(statuses(connection.socket.take()) == ["200"])
    }

    @Test("hot requests of one read are all answered; the handler leaves a connection with a mixed read to the decoder")
    func pipelines() throws {
        let connection = try Connection()
        connection.send(get("/hot") + get("/hot") + get("/hot"))
        #expect(statuses(connection.socket.take()) == ["200", "200", "200"])
        connection.send(get("/hot") + get("/cold") + get("/hot"))
        #expect(statuses(connection.socket.take()) == ["200"])
        #expect(try connection.routed() == ["/cold", "/hot"])
        #expect(!connection.isWatched)
    }

    @Test(
        "after anything but one whole request without a body, the decoder alone reads the connection",
        arguments: [
            ["POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"],
            ["GET /hot HTTP/1.1\r\n", "Host: a\r\n\r\n"],
            ["GET /hot HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
            ["GET /hot HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"],
        ]
    )
    func left(pieces: [String]) throws {
        let connection = try Connection()
        for piece in pieces { connection.send(piece) }
        #expect(!connection.isWatched)
        #expect(try connection.routed().count == 1)
        connection.answer()
        #expect(statuses(connection.socket.take()) == ["202"])
        connection.send(get("/hot"))
        #expect(try connection.routed() == ["/hot"])
    }

    @Test("what arrives while a response is sent waits, and the socket is not read")
    func waiting() throws {
        let connection = try Connection()
        connection.socket.isBlocked = true
        connection.send(get("/hot"))
        #expect(connection.activity.idleSince == nil)
        connection.send(get("/hot", "If-None-Match: *\r\n"))
        connection.send(get("/cold"))
        let reads = connection.socket.reads
        connection.channel.read()
        #expect(connection.socket.reads == reads)
        #expect(statuses(connection.socket.take()) == ["200"])
        connection.socket.accept()
        #expect(statuses(connection.socket.take()) == ["304"])
        #expect(try connection.routed() == [])
        connection.socket.isBlocked = false
        connection.socket.accept()
        #expect(try connection.routed() == ["/cold"])
        #expect(connection.socket.reads == reads + 1)
    }

    @Test("the socket is read again when the last of several waiting responses is sent")
    func readingAgain() throws {
        let connection = try Connection()
        connection.socket.isBlocked = true
        connection.send(get("/hot"))
        connection.send(get("/hot"))
        connection.send(get("/hot"))
        let reads = connection.socket.reads
        connection.channel.read()
        for _ in 0..<3 { connection.socket.accept() }
        #expect(statuses(connection.socket.take()) == ["200", "200", "200"])
        #expect(connection.socket.reads == reads + 1)
    }

    @Test("requests that wait are answered before those that come later")
    func orderOfWaiting() throws {
        let connection = try Connection()
        connection.socket.isBlocked = true
        connection.send(get("/hot"))
        connection.send(get("/hot", "If-None-Match: *\r\n") + get("/hot") + get("/hot", "If-None-Match: *\r\n"))
        connection.send(get("/hot") + get("/cold"))
        connection.socket.isBlocked = false
        connection.socket.accept()
        #expect(statuses(connection.socket.take()) == ["200", "304", "200", "304", "200"])
        #expect(try connection.routed() == ["/cold"])
    }

    @Test("while slow clients hold as much memory as the table can have, requests take the route")
    func congestion() throws {
        let connection = try Connection()
        connection.downloads.pending(HotDownloadLimits().memory + 1)
        connection.send(get("/hot"))
        #expect(try connection.routed() == ["/hot"])
        connection.answer()
        connection.downloads.pending(-HotDownloadLimits().memory - 1)
        connection.send(get("/hot"))
        #expect(try connection.routed() == [])
    }

    @Test("a response counts as memory until its socket has accepted it")
    func unsent() throws {
        let connection = try Connection()
        let others = HotDownloadLimits().memory
        connection.downloads.pending(others)
        connection.socket.isBlocked = true
        connection.send(get("/hot"))
        #expect(connection.downloads.isCongested)
        connection.socket.accept()
        #expect(!connection.downloads.isCongested)
    }

    @Test("many requests of one read do not occupy the event loop at once")
    func rows() throws {
        let connection = try Connection()
        let count = 2 * HotDownloadHandler.longestRow + 1
        let requests = ByteBuffer(string: String(repeating: get("/hot"), count: count))
        connection.channel.pipeline.syncOperations.fireChannelRead(NIOAny(requests))
        #expect(statuses(connection.socket.take()).count == HotDownloadHandler.longestRow)
        connection.channel.embeddedEventLoop.run()
        #expect(statuses(connection.socket.take()).count == HotDownloadHandler.longestRow + 1)
    }

    @Test("a stopping server closes the connection after the response that is being sent")
    func stopping() throws {
        let connection = try Connection()
        connection.socket.isBlocked = true
        connection.send(get("/hot"))
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(connection.channel.isActive)
        connection.socket.accept()
        #expect(!connection.channel.isActive)
    }

    @Test("a connection that sends a response is not closed as an idle one")
    func busy() throws {
        let connection = try Connection()
        connection.socket.isBlocked = true
        connection.send(get("/hot"))
        connection.channel.pipeline.fireUserInboundEventTriggered(RequestGate.CloseIfIdle())
        connection.socket.accept()
        #expect(connection.channel.isActive)
        connection.channel.pipeline.fireUserInboundEventTriggered(RequestGate.CloseIfIdle())
        #expect(!connection.channel.isActive)
    }
}
