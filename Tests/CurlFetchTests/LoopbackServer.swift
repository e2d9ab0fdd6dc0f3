import NIOCore
import NIOPosix
import Support
import Synchronization

/// The answer to a request for a path.
struct Reply: Sendable {
    /// Head and body, as they go over the wire.
    let bytes: ByteBuffer
    /// Whether the connection ends behind them; else it stays, and nothing follows.
    var hangsUp = true

    /// Sends nothing.
    static let silence = Reply(bytes: ByteBuffer(), hangsUp: false)

    /// A file under its length.
    static func file(_ body: String, _ fields: String...) -> Reply {
        answer(200, fields + ["Content-Length: \(body.utf8.count)"], body)
    }

    /// A way to another address.
    static func redirect(to location: String, _ status: Int = 302, _ fields: String...) -> Reply {
        answer(status, fields + ["Location: \(location)", "Content-Length: 5"], "moved")
    }

    /// An answer with these fields alone; without a length it ends with the connection.
    static func answer(_ status: Int, _ fields: [String], _ body: String, hangsUp: Bool = true) -> Reply {
        let head = ["HTTP/1.1 \(status) Said", "Connection: close"] + fields
        return Reply(bytes: ByteBuffer(string: head.joined(separator: "\r\n") + "\r\n\r\n" + body), hangsUp: hangsUp)
    }
}

/// An HTTP server on a loopback address; one request a connection.
final class LoopbackServer: Sendable {
    private let replies: [String: Reply]
    private let arrived = Mutex<[String]>([])
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    private init(_ replies: [String: Reply]) {
        self.replies = replies
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        arrivals = stream
        arrival = continuation
    }

    /// Runs the body with a server that answers by path, with 404 where there is none, and with the server's port.
    static func with(
        _ replies: [String: Reply],
        host: String = "127.0.0.1",
        _ body: (_ server: LoopbackServer, _ port: Int) async throws -> Void
    ) async throws {
        let server = LoopbackServer(replies)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Conversation(server))
                }
            }
            .bind(host: host, port: 0)
            .get()
        guard let port = channel.localAddress?.port else { throw Broken() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(server, port))
        } catch {
            result = .failure(error)
        }
        try await channel.close()
        try result.get()
    }

    /// All requests that came, each with its head and its body.
    var requests: [String] {
        arrived.withLock { $0 }
    }

    /// Returns when the next request has come.
    func waitForRequest() async {
        for await _ in arrivals { return }
    }

    fileprivate func reply(to request: String) -> Reply {
        arrived.withLock { $0.append(request) }
        arrival.yield()
        let words = request.split(separator: " ", maxSplits: 2)
        let path = words.count == 3 ? String(words[1]) : ""
        return replies[path] ?? .answer(404, ["Content-Length: 7"], "nothing")
    }
}

private final class Conversation: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let server: LoopbackServer
    private var received = ""

    init(_ server: LoopbackServer) {
        self.server = server
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += String(buffer: unwrapInboundIn(data))
        guard isWhole else { return }
        let reply = server.reply(to: received)
        let channel = context.channel
        let sent = channel.writeAndFlush(reply.bytes)
        if reply.hangsUp { sent.whenComplete { _ in channel.close(promise: nil) } }
    }

    /// Whether the head has come, and as much of a body as it announces.
    private var isWhole: Bool {
        guard let end = received.firstRange(of: "\r\n\r\n") else { return false }
        let length = received[..<end.lowerBound].split(separator: "\r\n")
            .first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) }
        return received[end.upperBound...].utf8.count >= length ?? 0
    }
}
