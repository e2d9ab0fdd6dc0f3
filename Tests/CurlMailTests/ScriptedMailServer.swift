import NIOCore
import NIOPosix
import Support
import Synchronization

/// A mail server on a loopback address that takes mails, and answers commands as a test says.
final class ScriptedMailServer: Sendable {
    /// The replies by the first word of a command, and by `.` for the end of a message; an empty one is silence.
    private let replies: [String: String]
    private let commands: AsyncStream<String>
    private let arrival: AsyncStream<String>.Continuation
    private let received = Mutex<[String]>([])

    private init(_ replies: [String: String]) {
        let usual = [
            "EHLO": "250 example.net", "MAIL": "250 OK", "RCPT": "250 OK", "DATA": "354 Go on", ".": "250 Accepted",
            "QUIT": "221 Bye",
        ]
        self.replies = usual.merging(replies) { $1 }
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        commands = stream
        arrival = continuation
    }

    /// Runs the body with a server and its URL.
    ///
    /// - Parameters:
    ///   - replies: The replies that differ from those of a server that accepts every mail.
    ///   - body: Uses the server.
    /// - Throws: Errors of the body, and of the network.
    static func with(
        _ replies: [String: String],
        _ body: (_ server: ScriptedMailServer, _ url: String) async throws -> Void
    ) async throws {
        let server = ScriptedMailServer(replies)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Dialogue(server))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        guard let port = channel.localAddress?.port else { throw Broken() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(server, "smtp://127.0.0.1:\(port)"))
        } catch {
            result = .failure(error)
        }
        try await channel.close()
        try result.get()
    }

    /// The first words of all commands so far.
    var words: [String] { received.withLock { $0 } }

    /// Returns when a command has come; one test waits once.
    func wait(for command: String) async {
        for await word in commands where word == command { return }
    }

    fileprivate func reply(to command: String) -> String {
        let word = command.split(separator: " ").first.map(String.init) ?? ""
        received.withLock { $0.append(word) }
        arrival.yield(word)
        return replies[word] ?? "500 Unknown"
    }
}

/// One connection of a client.
private final class Dialogue: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let server: ScriptedMailServer
    private var received = ByteBuffer()
    private var isInMessage = false

    init(_ server: ScriptedMailServer) {
        self.server = server
    }

    func channelActive(context: ChannelHandlerContext) {
        send("220 example.net", to: context.channel)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var new = unwrapInboundIn(data)
        received.writeBuffer(&new)
        while let end = received.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            let length = end - received.readerIndex + 1
            let line = (received.readString(length: length) ?? "").filter { !$0.isNewline }
            guard !isInMessage || line == "." else { continue }
            let reply = server.reply(to: line)
            isInMessage = reply.hasPrefix("354")
            if !reply.isEmpty { send(reply, to: context.channel) }
        }
    }

    private func send(_ reply: String, to channel: any Channel) {
        channel.writeAndFlush(ByteBuffer(string: reply + "\r\n"), promise: nil)
    }
}
