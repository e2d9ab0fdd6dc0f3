import Domain
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket
import RealtimeMessages
import Testing

@testable import HTTPAPI

/// The commands and frames of a connection of live queries, byte for byte.
@Suite struct LiveQueryHandlerTests {
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
        let connection = try LiveQueryConnection.connected()
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
        let connection = try LiveQueryConnection.connected()
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
        let connection = try LiveQueryConnection.connected()
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
        #expect(try pushed.frames().last == LiveQueryConnection.loggedIn)

        let only = try LiveQueryConnection.connected()
        only.text(#"{"cmd":"login","installationId":"d1","service":1,"i":1}"#)
        #expect(try only.frames() == [LiveQueryConnection.loggedIn])

        let unknown = try LiveQueryConnection(apps: ["app", "other"])
        try unknown.upgrade()
        unknown.text(#"{"cmd":"login","installationId":"d1","service":1,"i":1}"#)
        #expect(try unknown.frames().last == "close 4103")
    }

    @Test("a connection has several installations, each with its events, until the last logs out")
    func severalInstallations() throws {
        let connection = try LiveQueryConnection.connected()
        connection.logIn()
        connection.logIn()
        connection.text(#"{"cmd":"login","appId":"app","installationId":"d2","service":1,"i":3}"#)
        #expect(
            try connection.frames() == [
                LiveQueryConnection.loggedIn, LiveQueryConnection.loggedIn,
                #"{"cmd":"loggedin","service":1,"installationId":"d2","i":3}"#,
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
        let connection = try LiveQueryConnection.connected()
        for number in 0...LiveQueryDialogue.maxInstallations {
            connection.text(#"{"cmd":"login","appId":"app","installationId":"n\#(number)","service":1,"i":1}"#)
        }
        let frames = try connection.frames()
        #expect(frames.dropLast().allSatisfy { $0.hasPrefix(#"{"cmd":"loggedin""#) })
        #expect(frames.last?.contains(#""error":{"code":429"#) == true)
        #expect(connection.channel.isActive)
    }

    @Test("a connection with several installations is one of the connections of the app")
    func oneConnection() throws {
        let connection = try LiveQueryConnection.connected(.json, LiveQueryLimits(connections: 1))
        connection.logIn()
        connection.text(#"{"cmd":"login","appId":"app","installationId":"d2","service":1,"i":2}"#)
        #expect(
            try connection.frames() == [
                LiveQueryConnection.loggedIn, #"{"cmd":"loggedin","service":1,"installationId":"d2","i":2}"#,
            ]
        )
    }

    @Test("a log-out is answered, and the connection closed")
    func logOut() throws {
        let connection = try LiveQueryConnection.connected()
        connection.logIn()
        connection.text(#"{"cmd":"logout","i":9}"#)
        #expect(try connection.frames() == [LiveQueryConnection.loggedIn, #"{"cmd":"loggedout","i":9}"#, "close 1000"])
    }

    // MARK: Frames

    @Test("a ping is answered with its data")
    func ping() throws {
        let connection = try LiveQueryConnection.connected()
        connection.frame(.ping, Array("abc".utf8))
        #expect(try connection.frames() == ["pong abc"])
    }

    @Test("a message can be fragmented, with control frames between")
    func fragments() throws {
        let connection = try LiveQueryConnection.connected()
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
        let connection = try LiveQueryConnection.connected()
        connection.send(sample.bytes)
        connection.text("{}")
        #expect(try connection.frames() == ["close \(sample.code)"])
        connection.channel.embeddedEventLoop.advanceTime(by: LiveQueryHandler.closeTime)
        #expect(!connection.channel.isActive)
    }

    @Test("fragments together must not exceed the size of a message")
    func largeFragments() throws {
        let connection = try LiveQueryConnection.connected()
        for index in 0..<8 {
            connection.frame(index == 0 ? .text : .continuation, [UInt8](repeating: 0x20, count: 10_000), fin: false)
        }
        #expect(try connection.frames() == ["close 1009"])
    }

    @Test("any bytes after a handshake end in an answer or a close frame", arguments: RealtimeFormat.allCases)
    func noise(format: RealtimeFormat) throws {
        for _ in 0..<200 {
            let connection = try LiveQueryConnection.connected(format)
            for _ in 0..<3 {
                connection.send((0..<Int.random(in: 1...200)).map { _ in UInt8.random(in: 0...255) })
            }
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(30))
            #expect(!connection.channel.isActive)
        }
    }
}
