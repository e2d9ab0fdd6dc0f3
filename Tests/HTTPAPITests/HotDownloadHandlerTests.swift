import Domain
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPAPI

/// A connection's bytes through the handler of hot downloads, NIO's decoder and the gate.
@Suite struct HotDownloadHandlerTests {
    @Test("a hot request is answered without a route")
    func hot() throws {
        let connection = try HotConnection()
        connection.send(HotConnection.get("/hot"))
        let sent = connection.socket.take()
        #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\nETag: \"tag\"\r\nContent-Length: 4\r\nX-Request-Id: "))
        #expect(sent.contains("\r\nDate: "))
        #expect(sent.hasSuffix("\r\nServer: lcfile\r\n\r\nbody"))
        #expect(try connection.routed() == [])
        #expect(connection.activity.idleSince != nil)
    }

    @Test("a hot request is recorded with its app, size, id and client")
    func record() throws {
        let connection = try HotConnection()
        connection.send(HotConnection.get("/hot", "X-Forwarded-For: 198.51.100.7\r\n"))
        let record = try #require(connection.records.all.first)
        #expect(connection.records.all.count == 1)
        #expect(record.app?.description == "app")
        #expect(record.route == "/**")
        #expect([record.method, record.path, record.client.description] == ["GET", "/hot", "127.0.0.1"])
        #expect(record.status == 200)
        #expect(record.bytes == 4)
        #expect(record.isComplete)
        #expect(connection.socket.take().contains("X-Request-Id: \(record.id)\r\n"))
    }

    @Test(
        "behind a trusted proxy the client is the one that the proxy names",
        arguments: [(.xForwardedFor, "198.51.100.7"), (.forwarded, "198.51.100.8")]
            as [(TrustedProxies.Field, String)]
    )
    func forwarded(field: TrustedProxies.Field, client: String) throws {
        var proxies = TrustedProxies()
        proxies.networks = try #require(TrustedProxies.networks("127.0.0.1"))
        proxies.field = field
        let connection = try HotConnection(proxies: proxies)
        let lines = ["X-Forwarded-For: 192.0.2.9", "x-forwarded-for: 198.51.100.7 ", "Forwarded: for=198.51.100.8"]
        connection.send(HotConnection.get("/hot", lines.map { "\($0)\r\n" }.joined()))
        #expect(connection.records.all.map(\.client.description) == [client])
    }

    @Test("HEAD and 304 have no bytes in the log", arguments: [("HEAD", ""), ("GET", "If-None-Match: *\r\n")])
    func noBytes(method: String, field: String) throws {
        let connection = try HotConnection()
        connection.send("\(method) /hot HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
        #expect(connection.records.all.map(\.bytes) == [0])
    }

    @Test("HEAD has the same head and no body")
    func headRequest() throws {
        let connection = try HotConnection()
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
        let connection = try HotConnection()
        connection.send(HotConnection.get("/hot", "If-None-Match: \(tags)\r\n"))
        let sent = connection.socket.take()
        #expect(HotConnection.statuses(sent) == [status])
        #expect(sent.hasSuffix("body") == (status == "200"))
    }

    @Test("other targets, and requests with other conditions, take the route; then the next is hot again")
    func cold() throws {
        let connection = try HotConnection()
        for request in [
            HotConnection.get("/cold"), HotConnection.get("/hot", "Range: bytes=0-1\r\n"),
            HotConnection.get("/hot?a=b"),
        ] {
            connection.send(request)
            #expect(try connection.routed().count == 1)
            #expect(connection.socket.take() == "")
            connection.answer()
            #expect(HotConnection.statuses(connection.socket.take()) == ["202"])
            connection.send(HotConnection.get("/hot"))
            #expect(HotConnection.statuses(connection.socket.take()) == ["200"])
        }
        #expect(connection.isWatched)
    }

    @Test("a hot request behind an unanswered one takes the route, so the order stays")
    func order() throws {
        let connection = try HotConnection()
        connection.send(HotConnection.get("/cold"))
        connection.send(HotConnection.get("/hot"))
        #expect(try connection.routed() == ["/cold", "/hot"])
        #expect(connection.socket.take() == "")
        connection.answer()
        connection.send(HotConnection.get("/hot"))
        // The second response is missing.
        #expect(try connection.routed() == ["/hot"])
        connection.answer()
        connection.answer()
        #expect(HotConnection.statuses(connection.socket.take()) == ["202", "202", "202"])
        connection.send(HotConnection.get("/hot"))
        #expect(HotConnection.statuses(connection.socket.take()) == ["200"])
    }

    @Test("hot requests of one read are all answered; the handler leaves a connection with a mixed read to the decoder")
    func pipelines() throws {
        let connection = try HotConnection()
        connection.send(HotConnection.get("/hot") + HotConnection.get("/hot") + HotConnection.get("/hot"))
        #expect(HotConnection.statuses(connection.socket.take()) == ["200", "200", "200"])
        connection.send(HotConnection.get("/hot") + HotConnection.get("/cold") + HotConnection.get("/hot"))
        #expect(HotConnection.statuses(connection.socket.take()) == ["200"])
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
        let connection = try HotConnection()
        for piece in pieces { connection.send(piece) }
        #expect(!connection.isWatched)
        #expect(try connection.routed().count == 1)
        connection.answer()
        #expect(HotConnection.statuses(connection.socket.take()) == ["202"])
        connection.send(HotConnection.get("/hot"))
        #expect(try connection.routed() == ["/hot"])
    }

    @Test("what arrives while a response is sent waits, and the socket is not read")
    func waiting() throws {
        let connection = try HotConnection()
        connection.socket.isBlocked = true
        connection.send(HotConnection.get("/hot"))
        #expect(connection.activity.idleSince == nil)
        connection.send(HotConnection.get("/hot", "If-None-Match: *\r\n"))
        connection.send(HotConnection.get("/cold"))
        let reads = connection.socket.reads
        connection.channel.read()
        #expect(connection.socket.reads == reads)
        #expect(HotConnection.statuses(connection.socket.take()) == ["200"])
        connection.socket.accept()
        #expect(HotConnection.statuses(connection.socket.take()) == ["304"])
        #expect(try connection.routed() == [])
        connection.socket.isBlocked = false
        connection.socket.accept()
        #expect(try connection.routed() == ["/cold"])
        #expect(connection.socket.reads == reads + 1)
    }

    @Test("the socket is read again when the last of several waiting responses is sent")
    func readingAgain() throws {
        let connection = try HotConnection()
        connection.socket.isBlocked = true
        connection.send(HotConnection.get("/hot"))
        connection.send(HotConnection.get("/hot"))
        connection.send(HotConnection.get("/hot"))
        let reads = connection.socket.reads
        connection.channel.read()
        for _ in 0..<3 { connection.socket.accept() }
        #expect(HotConnection.statuses(connection.socket.take()) == ["200", "200", "200"])
        #expect(connection.socket.reads == reads + 1)
    }

    @Test("requests that wait are answered before those that come later")
    func orderOfWaiting() throws {
        let connection = try HotConnection()
        connection.socket.isBlocked = true
        connection.send(HotConnection.get("/hot"))
        connection.send(
            HotConnection.get("/hot", "If-None-Match: *\r\n") + HotConnection.get("/hot")
                + HotConnection.get("/hot", "If-None-Match: *\r\n")
        )
        connection.send(HotConnection.get("/hot") + HotConnection.get("/cold"))
        connection.socket.isBlocked = false
        connection.socket.accept()
        #expect(HotConnection.statuses(connection.socket.take()) == ["200", "304", "200", "304", "200"])
        #expect(try connection.routed() == ["/cold"])
    }

    @Test("while slow clients hold as much memory as the table can have, requests take the route")
    func congestion() throws {
        let connection = try HotConnection()
        connection.downloads.pending(HotDownloadLimits().memory + 1)
        connection.send(HotConnection.get("/hot"))
        #expect(try connection.routed() == ["/hot"])
        connection.answer()
        connection.downloads.pending(-HotDownloadLimits().memory - 1)
        connection.send(HotConnection.get("/hot"))
        #expect(try connection.routed() == [])
    }

    @Test("a response counts as memory until its socket has accepted it")
    func unsent() throws {
        let connection = try HotConnection()
        let others = HotDownloadLimits().memory
        connection.downloads.pending(others)
        connection.socket.isBlocked = true
        connection.send(HotConnection.get("/hot"))
        #expect(connection.downloads.isCongested)
        connection.socket.accept()
        #expect(!connection.downloads.isCongested)
    }

    @Test("many requests of one read do not occupy the event loop at once")
    func rows() throws {
        let connection = try HotConnection()
        let count = 2 * HotDownloadHandler.longestRow + 1
        let requests = ByteBuffer(string: String(repeating: HotConnection.get("/hot"), count: count))
        connection.channel.pipeline.syncOperations.fireChannelRead(NIOAny(requests))
        #expect(HotConnection.statuses(connection.socket.take()).count == HotDownloadHandler.longestRow)
        connection.channel.embeddedEventLoop.run()
        #expect(HotConnection.statuses(connection.socket.take()).count == HotDownloadHandler.longestRow + 1)
    }

    @Test(
        "after a response the next read begins at once, unless other handlers have got something since their last one"
    )
    func reads() throws {
        let connection = try HotConnection()
        func reads(after text: String) -> Int {
            connection.send(text)
            return connection.socket.reads
        }
        let hot = "GET /hot HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(reads(after: hot) == 0)
        connection.channel.read()
        #expect(reads(after: hot) == 2)
        #expect(reads(after: "GET /cold HTTP/1.1\r\nHost: a\r\n\r\n") == 2)
        connection.answer()
        #expect(reads(after: hot) == 2)
        connection.channel.read()
        #expect(reads(after: hot) == 4)
    }
}
