import Domain
import Glibc
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPAPI

/// How connections with hot downloads end: by the server, and by a file that cannot be read.
@Suite struct HotDownloadEndTests {
    @Test("a stopping server closes the connection after the response that is being sent")
    func stopping() throws {
        let connection = try HotConnection()
        connection.socket.isBlocked = true
        connection.send(HotConnection.get("/hot"))
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(connection.channel.isActive)
        connection.socket.accept()
        #expect(!connection.channel.isActive)
    }

    @Test("while the server drains, the last hot request takes the route, whose response ends the connection")
    func draining() throws {
        let connection = try HotConnection()
        connection.send(HotConnection.get("/hot"))
        #expect(!connection.socket.take().contains("Connection: close\r\n"))
        connection.connections.drain()
        connection.send(HotConnection.get("/hot") + HotConnection.get("/hot"))
        #expect(HotConnection.statuses(connection.socket.take()) == ["200"])
        #expect(try connection.routed() == ["/hot"])
        connection.answer()
        let sent = connection.socket.take()
        #expect(HotConnection.statuses(sent) == ["202"])
        #expect(sent.contains("Connection: close\r\n"))
    }

    @Test(
        "a file that cannot be read ends the connection after every error, and nothing follows in its body",
        arguments: [(EIO, true), (ENOTCONN, false), (ETIMEDOUT, false), (EACCES, false), (ENOMEM, false)]
    )
    func failedRead(number: CInt, isDamage: Bool) throws {
        let files = FileSending.pieces { _, _, eventLoop in
            eventLoop.makeFailedFuture(IOError(errnoCode: number, reason: "pread"))
        }
        let connection = try HotConnection(files: files)
        let blob = try FragileFile()
        connection.downloads.prepare("/file", .file(try #require(BlobFile(blob))))
        connection.socket.isCloseDelayed = true
        connection.send(HotConnection.get("/file") + HotConnection.get("/hot"))
        #expect(connection.socket.closes == 1)
        connection.send(HotConnection.get("/hot"))
        connection.send(HotConnection.get("/cold"))
        let sent = connection.socket.take()
        #expect(HotConnection.statuses(sent) == ["200"])
        #expect(sent.hasSuffix("\r\n\r\n"))
        #expect(try connection.routed() == [])
        #expect(connection.records.all.map(\.isComplete) == [false])
        #expect(blob.isDamaged == isDamage)
    }

    @Test("a connection that sends a response is not closed as an idle one")
    func busy() throws {
        let connection = try HotConnection()
        connection.socket.isBlocked = true
        connection.send(HotConnection.get("/hot"))
        connection.channel.pipeline.fireUserInboundEventTriggered(RequestGate.CloseIfIdle())
        connection.socket.accept()
        #expect(connection.channel.isActive)
        connection.channel.pipeline.fireUserInboundEventTriggered(RequestGate.CloseIfIdle())
        #expect(!connection.channel.isActive)
    }

    @Test("a connection whose client has not taken the response of a route is not closed as an idle one")
    func untaken() throws {
        let connection = try HotConnection()
        connection.socket.isBlocked = true
        connection.send(HotConnection.get("/cold"))
        connection.answer()
        connection.channel.pipeline.fireUserInboundEventTriggered(RequestGate.CloseIfIdle())
        #expect(connection.channel.isActive)
        connection.socket.accept()
        connection.channel.pipeline.fireUserInboundEventTriggered(RequestGate.CloseIfIdle())
        #expect(!connection.channel.isActive)
    }
}
