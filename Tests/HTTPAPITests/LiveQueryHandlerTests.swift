import Domain
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket
import RealtimeMessages
import Testing

@testable import HTTPAPI

/// A client's connection of live queries, byte for byte, on a loop whose time the test sets.
@Suite struct LiveQueryHandlerTests {
    private let loggedIn = #"{"cmd":"loggedin","service":1,"installationId":"d1","i":1}"#

    private func connected(
        _ format: RealtimeFormat = .json,
        _ limits: LiveQueryLimits = .init()
    ) throws
        -> LiveQueryConnection
    {
        let connection = try LiveQueryConnection(limits: limits)
        try connection.upgrade(format)
        return connection
    }

    // MARK: The handshake

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
        #expect(connection.live.isFull)
        let other = try LiveQueryConnection(most: 1)
        try other.upgrade()
        #expect(other.live.isFull)
        _ = try other.channel.finish()
        #expect(!other.live.isFull)
    }

    @Test("a WebSocket is an open connection, and never an idle one")
    func neverIdle() throws {
        let connection = try connected()
        connection.open.closeIdle(1, olderThan: .seconds(0))
        connection.channel.embeddedEventLoop.run()
        #expect(connection.channel.isActive)
        #expect(connection.open.count == 1)
        _ = try connection.channel.finish()
        #expect(connection.open.count == 0)
    }

    @Test("no handler of HTTP remains")
    func handlers() throws {
        let connection = try connected()
        let pipeline = connection.channel.pipeline.syncOperations
        #expect(throws: ChannelPipelineError.notFound) { try pipeline.handler(type: RequestGate.self) }
        #expect(throws: ChannelPipelineError.notFound) { try pipeline.handler(type: HTTPResponseEncoder.self) }
        #expect(throws: ChannelPipelineError.notFound) {
            try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        }
    }

    // MARK: Commands

    @Test(
        "each command has its reply",
        arguments: [
            ("{}", "{}"), (#" { } "#, "{}"), (#"{"cmd":"echo","i":7}"#, #"{"cmd":"echo","i":7}"#),
            (
                #"{"cmd":"login","appId":"app","installationId":"d1","service":1,"clientTs":5,"i":1}"#,
                #"{"cmd":"loggedin","service":1,"installationId":"d1","i":1}"#
            ),
            (
                #"{"cmd":"login","appId":"app","installationId":"java","i":1}"#,
                #"{"cmd":"loggedin","service":0,"installationId":"java","i":1}"#
            ),
            (
                #"{"cmd":"session","op":"open","peerId":"tom","i":2}"#,
                #"{"cmd":"error","i":2,"error":{"code":119,"detail":"Messaging is not offered on this server, only live queries."}}"#
            ),
        ]
    )
    func replies(command: String, reply: String) throws {
        let connection = try connected()
        connection.text(command)
        #expect(try connection.frames() == [reply])
        #expect(connection.channel.isActive)
    }

    @Test(
        "commands that need no reply get none",
        arguments: [
            #"{"cmd":"ack","ids":["m1"],"i":1}"#, #"{"cmd":"data","i":1}"#, #"{"cmd":"goaway","i":1}"#,
            #"{"cmd":"error","i":1}"#, #"{"cmd":"session"}"#, #"{"cmd":"dance"}"#,
        ]
    )
    func noReply(command: String) throws {
        let connection = try connected()
        connection.text(command)
        #expect(try connection.frames().isEmpty)
    }

    @Test(
        "a log-in to no app or without an installation is refused for good",
        arguments: [
            #"{"cmd":"login","appId":"other","installationId":"d1","service":1,"i":1}"#,
            #"{"cmd":"login","appId":"a/b","installationId":"d1","service":1,"i":1}"#,
            #"{"cmd":"login","appId":"app","installationId":"","service":1,"i":1}"#,
            #"{"cmd":"login","appId":"app","service":1,"i":1}"#, #"{"cmd":"login","service":1,"i":1}"#,
        ]
    )
    func invalidLogIn(command: String) throws {
        let connection = try connected()
        connection.text(command)
        let frames = try connection.frames()
        #expect(frames.first?.contains(#""i":1,"error":{"code":4103,"detail":"INVALID_LOGIN"}}"#) == true)
        #expect(frames.dropFirst() == ["close 4103"])
    }

    @Test("a log-in without an app is to that of the address, of an earlier log-in, or to the only app")
    func noApp() throws {
        let connection = try LiveQueryConnection(apps: ["app", "other"])
        connection.send(LiveQueryConnection.handshake(path: "/v1/ws?appId=other"))
        _ = try connection.sent()
        connection.text(#"{"cmd":"login","installationId":"d1","service":1,"i":-65535}"#)
        #expect(try connection.frames() == [#"{"cmd":"loggedin","service":1,"installationId":"d1","i":-65535}"#])

        let pushed = try LiveQueryConnection(apps: ["app", "other"])
        try pushed.upgrade()
        pushed.text(#"{"cmd":"login","appId":"app","installationId":"java"}"#)
        pushed.text(#"{"cmd":"login","installationId":"d1","service":1,"i":1}"#)
        #expect(try pushed.frames().last == loggedIn)

        let only = try connected()
        only.text(#"{"cmd":"login","installationId":"d1","service":1,"i":1}"#)
        #expect(try only.frames() == [loggedIn])

        let unknown = try LiveQueryConnection(apps: ["app", "other"])
        try unknown.upgrade()
        unknown.text(#"{"cmd":"login","installationId":"d1","service":1,"i":1}"#)
        #expect(try unknown.frames().last == "close 4103")
    }

    @Test("a connection has several installations, each with its events, until the last logs out")
    func severalInstallations() throws {
        let connection = try connected()
        connection.logIn()
        connection.logIn()
        connection.text(#"{"cmd":"login","appId":"app","installationId":"d2","service":1,"i":3}"#)
        #expect(
            try connection.frames() == [
                loggedIn, loggedIn, #"{"cmd":"loggedin","service":1,"installationId":"d2","i":3}"#,
            ]
        )
        try connection.push("q2", to: "d2")
        #expect(try connection.frames().first?.contains(#""installationId":"d2""#) == true)
        connection.text(#"{"cmd":"logout","installationId":"d1","service":1,"i":4}"#)
        #expect(try connection.frames() == [#"{"cmd":"loggedout","service":1,"installationId":"d1","i":4}"#])
        try connection.push("q1", to: "d1")
        #expect(try connection.frames().isEmpty)
        connection.text(#"{"cmd":"logout","installationId":"d2","service":1,"i":5}"#)
        #expect(try connection.frames().last == "close 1000")
    }

    @Test("a connection has a limited number of installations")
    func tooManyInstallations() throws {
        let connection = try connected()
        for number in 0...LiveQueryDialogue.maxInstallations {
            connection.text(#"{"cmd":"login","appId":"app","installationId":"n\#(number)","service":1,"i":1}"#)
        }
        let frames = try connection.frames()
        #expect(frames.dropLast().allSatisfy { $0.hasPrefix(#"{"cmd":"loggedin""#) })
        #expect(frames.last?.contains(#""error":{"code":429"#) == true)
        #expect(connection.channel.isActive)
    }

    @Test("a log-out is answered, and the connection closed")
    func logOut() throws {
        let connection = try connected()
        connection.logIn()
        connection.text(#"{"cmd":"logout","i":9}"#)
        #expect(try connection.frames() == [loggedIn, #"{"cmd":"loggedout","i":9}"#, "close 1000"])
    }

    // MARK: Frames

    @Test("a ping is answered with its data")
    func ping() throws {
        let connection = try connected()
        connection.frame(.ping, Array("abc".utf8))
        #expect(try connection.frames() == ["pong abc"])
    }

    @Test("a message can be fragmented, with control frames between")
    func fragments() throws {
        let connection = try connected()
        connection.frame(.text, Array(#"{"cmd":"#.utf8), fin: false)
        connection.frame(.continuation, Array(#""echo","#.utf8), fin: false)
        connection.frame(.ping, [])
        connection.frame(.continuation, Array(#""i":4}"#.utf8))
        #expect(try connection.frames() == ["pong ", #"{"cmd":"echo","i":4}"#])
    }

    struct Wrong: Sendable {
        let bytes: [UInt8]
        let code: Int
    }

    @Test(
        "a client that breaks the protocol is told the reason, and nothing behind is performed",
        arguments: [
            Wrong(bytes: LiveQueryConnection.bytes(.text, Array("{}".utf8), isMasked: false), code: 1002),
            Wrong(bytes: [0xC1, 0x80, 0, 0, 0, 0], code: 1002), Wrong(bytes: [0x83, 0x80, 0, 0, 0, 0], code: 1002),
            Wrong(bytes: [0x09, 0x80, 0, 0, 0, 0], code: 1002), Wrong(bytes: [0x80, 0x80, 0, 0, 0, 0], code: 1002),
            Wrong(bytes: [0x89, 0xFE, 0, 0x80, 0, 0, 0, 0], code: 1002),
            Wrong(bytes: LiveQueryConnection.bytes(.binary, [0x08]), code: 1003),
            Wrong(bytes: LiveQueryConnection.bytes(.text, Array("[]".utf8)), code: 1007),
            Wrong(bytes: LiveQueryConnection.bytes(.text, [0xFF]), code: 1007),
            Wrong(bytes: LiveQueryConnection.bytes(.text, [UInt8](repeating: 0x20, count: 70_000)), code: 1009),
            Wrong(bytes: [0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], code: 1009),
            Wrong(bytes: [0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], code: 1009),
        ]
    )
    func wrong(sample: Wrong) throws {
        let connection = try connected()
        connection.send(sample.bytes)
        connection.text("{}")
        #expect(try connection.frames() == ["close \(sample.code)"])
        connection.channel.embeddedEventLoop.advanceTime(by: LiveQueryHandler.closeTime)
        #expect(!connection.channel.isActive)
    }

    @Test("fragments together must not exceed the size of a message")
    func largeFragments() throws {
        let connection = try connected()
        for index in 0..<8 {
            connection.frame(index == 0 ? .text : .continuation, [UInt8](repeating: 0x20, count: 10_000), fin: false)
        }
        #expect(try connection.frames() == ["close 1009"])
    }

    @Test("any bytes after a handshake end in an answer or a close frame", arguments: RealtimeFormat.allCases)
    func noise(format: RealtimeFormat) throws {
        for _ in 0..<200 {
            let connection = try connected(format)
            for _ in 0..<3 {
                connection.send((0..<Int.random(in: 1...200)).map { _ in UInt8.random(in: 0...255) })
            }
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(30))
            #expect(!connection.channel.isActive)
        }
    }

    // MARK: Events

    @Test("an event is one message with an id of its own, in the order of events")
    func events() throws {
        let connection = try connected()
        connection.logIn()
        try connection.push("q1")
        try connection.push("q2", object: #"{"a": 1}"#)
        func data(_ id: String, _ event: String) -> String {
            #"{"cmd":"data","service":1,"installationId":"d1","ids":["\#(id)"],"msg":[\#(event)]}"#
        }
        #expect(
            try connection.frames() == [
                loggedIn, data("m1", #"{"op":"create","query_id":"q1","object":{"objectId":"1"}}"#),
                data("m2", #"{"op":"create","query_id":"q2","object":{"a": 1}}"#),
            ]
        )
    }

    @Test("an event before the reply to the log-in follows that reply")
    func early() throws {
        let connection = try connected()
        try connection.push("q1")
        #expect(try connection.frames().isEmpty)
        connection.logIn()
        let frames = try connection.frames()
        #expect(frames.count == 2 && frames.first == loggedIn)
    }

    @Test("large events have the frame headers of their lengths", arguments: [100, 125, 126, 60_000, 70_000])
    func lengths(size: Int) throws {
        let connection = try connected()
        connection.logIn()
        try connection.push("q1", object: String(repeating: " ", count: size))
        let frames = try connection.frames()
        #expect(frames.count == 2 && (frames.last?.utf8.count ?? 0) > size)
    }

    @Test("the events of a client that does not read wait for it")
    func waiting() throws {
        let connection = try connected()
        connection.logIn()
        _ = try connection.frames()
        connection.setReading(false)
        for _ in 0..<5 { try connection.push("q") }
        #expect(try connection.frames().isEmpty)
        connection.setReading(true)
        #expect(try connection.frames().count == 5)
        try connection.push("q")
        #expect(try connection.frames().count == 1)
    }

    @Test("a client that reads too slowly is told to come back")
    func slow() throws {
        var limits = LiveQueryLimits()
        limits.queueCount = 3
        let connection = try connected(.json, limits)
        connection.logIn()
        _ = try connection.frames()
        connection.setReading(false)
        for _ in 0..<4 { try connection.push("q") }
        #expect(try connection.frames() == [#"{"cmd":"goaway"}"#, "close 1001"])
        try connection.push("q")
        connection.setReading(true)
        #expect(try connection.frames().isEmpty)
        connection.channel.embeddedEventLoop.advanceTime(by: LiveQueryHandler.closeTime)
        #expect(!connection.channel.isActive)
    }

    // MARK: The end

    @Test(
        "the code of a client's close frame is returned if it is allowed",
        arguments: [
            ([], "close 1000"), ([3, 232], "close 1000"), ([0x0F, 0xA0, 0x61], "close 4000"), ([3, 237], "close 1002"),
            ([3], "close 1002"), ([3, 232, 0xFF], "close 1002"),
        ] as [([UInt8], String)]
    )
    func closed(payload: [UInt8], reply: String) throws {
        let connection = try connected()
        connection.frame(.connectionClose, payload)
        #expect(try connection.frames() == [reply])
        #expect(!connection.channel.isActive)
    }

    @Test("a connection without a log-in is closed, also if it sends other commands")
    func logInTime() throws {
        let connection = try connected()
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(19))
        connection.text("{}")
        #expect(try connection.frames() == ["{}"])
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(try connection.frames() == ["close 4108"])
        connection.channel.embeddedEventLoop.advanceTime(by: LiveQueryHandler.closeTime)
        #expect(!connection.channel.isActive)
    }

    @Test("a silent connection is closed, one that sends pings is not")
    func idleTime() throws {
        let connection = try connected()
        connection.logIn()
        for _ in 0..<10 {
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(400))
            connection.frame(.ping, [])
        }
        #expect(try connection.frames() == [loggedIn] + [String](repeating: "pong ", count: 10))
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(419))
        #expect(try connection.frames().isEmpty)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(try connection.frames() == ["close 1001"])
    }

    @Test("when the server stops, the client is told to come back, and has some seconds to close")
    func quiescing() throws {
        let connection = try connected()
        connection.logIn()
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(try connection.frames() == [loggedIn, "close 1001"])
        #expect(connection.channel.isActive)
        connection.frame(.connectionClose, [3, 233])
        #expect(try connection.frames().isEmpty)
        #expect(!connection.channel.isActive)
    }

    @Test("a client that closes its side is gone")
    func inputClosed() throws {
        let connection = try connected()
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!connection.channel.isActive)
    }
}
