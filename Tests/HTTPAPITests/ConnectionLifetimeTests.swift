import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPAPI

@Suite struct ConnectionLifetimeTests {
    private let timeout = TimeAmount.milliseconds(1)

    /// A connection whose timers run when the test says so, and whose clock is the real one.
    private final class Connection {
        let channel = EmbeddedChannel()
        let activity = ConnectionActivity()

        init(_ timeout: TimeAmount) throws {
            try channel.pipeline.syncOperations.addHandler(ConnectionLifetime(idleTimeout: timeout, activity: activity))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        func receive(_ part: HTTPServerRequestPart) throws {
            if case .head = part { activity.begin() }
            try channel.writeInbound(part)
        }

        func answer() {
            channel.write(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)), promise: nil)
            activity.end()
            channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        }

        /// Lets the timeout pass: on the real clock, with which the handler compares, and for the timers.
        func passTime() {
            let start = NIODeadline.now()
            while NIODeadline.now() - start < .milliseconds(2) {}
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(2))
        }
    }

    private let head = HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/a"))

    @Test("a connection without a request is closed after the timeout")
    func idle() throws {
        let connection = try Connection(timeout)
        connection.passTime()
        #expect(!connection.channel.isActive)
    }

    @Test("a connection is open before the timeout")
    func early() throws {
        let connection = try Connection(.hours(2))
        connection.passTime()
        #expect(connection.channel.isActive)
    }

    @Test("a request that has arrived takes as long as its response takes; then the time begins")
    func answering() throws {
        let connection = try Connection(timeout)
        try connection.receive(head)
        try connection.receive(.end(nil))
        connection.passTime()
        #expect(connection.channel.isActive)
        connection.answer()
        connection.passTime()
        #expect(!connection.channel.isActive)
    }

    @Test("a request whose rest does not arrive ends the connection, whether or not it was answered")
    func stalled() throws {
        for isAnswered in [false, true] {
            let connection = try Connection(timeout)
            try connection.receive(head)
            if isAnswered { connection.answer() }
            connection.passTime()
            #expect(!connection.channel.isActive)
        }
    }

    @Test("a stopping server closes an idle connection at once, and a busy one after its response")
    func stopping() throws {
        let idle = try Connection(.hours(2))
        try idle.receive(head)
        try idle.receive(.end(nil))
        idle.answer()
        idle.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(!idle.channel.isActive)
        let busy = try Connection(.hours(2))
        try busy.receive(head)
        try busy.receive(.end(nil))
        busy.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(busy.channel.isActive)
        busy.answer()
        #expect(!busy.channel.isActive)
    }

    @Test("a stopping server waits a moment for the first request of a connection that it has just accepted")
    func stoppingBeforeTheFirst() throws {
        for hasRequest in [true, false] {
            let connection = try Connection(.hours(2))
            connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(100))
            #expect(connection.channel.isActive)
            if hasRequest {
                try connection.receive(head)
                try connection.receive(.end(nil))
                connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
                #expect(connection.channel.isActive)
                connection.answer()
            } else {
                connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            }
            #expect(!connection.channel.isActive)
        }
    }
}
