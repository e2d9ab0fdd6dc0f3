import Domain
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket
import RealtimeMessages
import Testing

@testable import HTTPAPI

/// How events reach a client, and how its connection ends, on a loop whose time the test sets.
@Suite struct LiveQueryDeliveryTests {
    // MARK: Events

    @Test("an event is one message with an id of its own, in the order of events")
    func events() throws {
        let connection = try LiveQueryConnection.connected()
        connection.logIn()
        try connection.push("q1")
        try connection.push("q2", object: #"{"a": 1}"#)
        func data(_ id: String, _ event: String) -> String {
            #"{"cmd":"data","service":1,"installationId":"d1","ids":["\#(id)"],"msg":[\#(event)]}"#
        }
        #expect(
            try connection.frames() == [
                LiveQueryConnection.loggedIn, data("m1", #"{"op":"create","query_id":"q1","object":{"objectId":"1"}}"#),
                data("m2", #"{"op":"create","query_id":"q2","object":{"a": 1}}"#),
            ]
        )
    }

    @Test("an event before the reply to the log-in follows that reply")
    func early() throws {
        let connection = try LiveQueryConnection.connected()
        try connection.push("q1")
        #expect(try connection.frames().isEmpty)
        connection.logIn()
        let frames = try connection.frames()
        #expect(frames.count == 2 && frames.first == LiveQueryConnection.loggedIn)
    }

    // MARK: Log-ins on a store of several servers

    @Test("a log-in is answered when its events begin, before the first event, and again if it is repeated")
    func lateReply() throws {
        let connection = try LiveQueryConnection.connected(isShared: true)
        connection.logIn()
        connection.logIn()
        #expect(try connection.frames().isEmpty)
        connection.text(#"{"cmd":"echo","i":7}"#)
        #expect(try connection.frames() == [#"{"cmd":"echo","i":7}"#])
        try connection.begin()
        #expect(try connection.frames() == [LiveQueryConnection.loggedIn, LiveQueryConnection.loggedIn])
        try connection.push("q1")
        #expect(try connection.frames().count == 1)
        connection.logIn()
        #expect(try connection.frames() == [LiveQueryConnection.loggedIn])
    }

    @Test("a connection has a limited number of log-ins that wait; further ones are refused at once")
    func waitingLogIns() throws {
        let connection = try LiveQueryConnection.connected(isShared: true)
        for _ in 0..<LiveQueryDialogue.maxWaiting { connection.logIn() }
        #expect(try connection.frames().isEmpty)
        connection.logIn()
        let refusals = try connection.frames()
        #expect(refusals.count == 1)
        #expect(refusals.first?.contains("\(LiveQueryDialogue.maxWaiting) log-ins that wait") == true)
        try connection.begin()
        let replies = Array(repeating: LiveQueryConnection.loggedIn, count: LiveQueryDialogue.maxWaiting)
        #expect(try connection.frames() == replies)
    }

    @Test("a log-in whose subscriptions cannot be read is refused, and the connection is closed to come back later")
    func failedReply() throws {
        let connection = try LiveQueryConnection.connected(isShared: true)
        connection.logIn()
        try connection.begin(failing: ServiceError(.overloaded, "Later."))
        let frames = try connection.frames()
        #expect(frames.count == 2)
        #expect(frames.first?.contains(#""cmd":"error""#) == true && frames.first?.contains("Later.") == true)
        #expect(frames.last == "close 1013")
    }

    @Test(
        "the code of a refused log-in is the status of HTTP",
        arguments: [
            (ServiceError(.overloaded, "a"), 429), (ServiceError(.unavailable, "a"), 503),
            (ServiceError(.internalFailure, "a"), 500), (CancellationError(), 500),
        ] as [(any Error, Int)]
    )
    func refusalCode(error: any Error, code: Int) throws {
        let connection = try LiveQueryConnection.connected(isShared: true)
        connection.logIn()
        try connection.begin(failing: error)
        #expect(try connection.frames().first?.contains(#""error":{"code":\#(code),"#) == true)
    }

    @Test("a log-in that is logged out before its events begin gets no late reply")
    func earlyLogOut() throws {
        let connection = try LiveQueryConnection.connected(isShared: true)
        connection.logIn()
        let handler = try connection.channel.pipeline.syncOperations.handler(type: LiveQueryHandler.self)
        let attachment = try #require(handler.dialogue.attachments.first)
        connection.text(#"{"cmd":"logout","installationId":"d1","i":2}"#)
        let frames = try connection.frames()
        #expect(frames.first?.contains("loggedout") == true)
        attachment.begin()
        connection.channel.embeddedEventLoop.run()
        #expect(try connection.frames().isEmpty)
    }

    @Test("large events have the frame headers of their lengths", arguments: [100, 125, 126, 60_000, 70_000])
    func lengths(size: Int) throws {
        let connection = try LiveQueryConnection.connected()
        connection.logIn()
        try connection.push("q1", object: String(repeating: " ", count: size))
        let frames = try connection.frames()
        #expect(frames.count == 2 && (frames.last?.utf8.count ?? 0) > size)
    }

    @Test("the events of a client that does not read wait for it")
    func waiting() throws {
        let connection = try LiveQueryConnection.connected()
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
        let connection = try LiveQueryConnection.connected(.json, limits)
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
        let connection = try LiveQueryConnection.connected()
        connection.frame(.connectionClose, payload)
        #expect(try connection.frames() == [reply])
        #expect(!connection.channel.isActive)
    }

    @Test("a connection without a log-in is closed, also if it sends other commands")
    func logInTime() throws {
        let connection = try LiveQueryConnection.connected()
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
        let connection = try LiveQueryConnection.connected()
        connection.logIn()
        for _ in 0..<10 {
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(400))
            connection.frame(.ping, [])
        }
        #expect(try connection.frames() == [LiveQueryConnection.loggedIn] + [String](repeating: "pong ", count: 10))
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(419))
        #expect(try connection.frames().isEmpty)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(try connection.frames() == ["close 1001"])
    }

    @Test("when the server stops, the client is told to come back, and has some seconds to close")
    func quiescing() throws {
        let connection = try LiveQueryConnection.connected()
        connection.logIn()
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(try connection.frames() == [LiveQueryConnection.loggedIn, "close 1001"])
        #expect(connection.channel.isActive)
        connection.frame(.connectionClose, [3, 233])
        #expect(try connection.frames().isEmpty)
        #expect(!connection.channel.isActive)
    }

    @Test("a client that closes its side is gone")
    func inputClosed() throws {
        let connection = try LiveQueryConnection.connected()
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!connection.channel.isActive)
    }
}
