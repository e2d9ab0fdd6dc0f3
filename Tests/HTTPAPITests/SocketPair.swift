import Domain
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import HTTPAPI

/// A connection of two sockets: a channel of the server, and a client that reads when the test says so.
///
/// Bytes that take NIO's queue arrive in capital letters, so a test sees which way they took.
final class SocketPair: Sendable {
    let channel: any Channel
    private let client: CInt

    /// The size in bytes of what the sockets hold, about.
    static let room = 64 << 10

    init() async throws {
        var sockets: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        var size = CInt(SocketPair.room)
        setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        client = sockets[1]
        channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .withConnectedSocket(sockets[0]).get()
        try await channel.pipeline.addHandler(Capitals()).get()
    }

    deinit {
        close(client)
    }

    /// Runs a body on the event loop, with an output in front of all handlers.
    func withOutput<Result: Sendable>(
        isEncrypted: Bool = false,
        _ body: @escaping @Sendable (SocketOutput, ChannelHandlerContext) throws -> Result
    ) async throws -> Result {
        try await channel.eventLoop.submit { [channel] in
            let pipeline = channel.pipeline.syncOperations
            let handler = (try? pipeline.handler(type: Outputs.self)) ?? Outputs(isEncrypted: isEncrypted)
            if (try? pipeline.context(handlerType: Outputs.self)) == nil { try pipeline.addHandler(handler) }
            let context = try pipeline.context(handlerType: Outputs.self)
            return try body(try #require(handler.output), context)
        }.get()
    }

    /// What arrives until there are as many bytes, or the end.
    func receive(_ count: Int) -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 20)
        while bytes.count < count {
            let length = recv(client, &part, min(part.count, count - bytes.count), 0)
            guard length > 0 else { break }
            bytes += part[..<length]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether nothing waits for the client.
    var isEmpty: Bool {
        var byte: UInt8 = 0
        return recv(client, &byte, 1, CInt(MSG_DONTWAIT)) < 0
    }

    /// Closes the client's side.
    func leave() {
        shutdown(client, CInt(SHUT_RDWR))
    }
}

/// Makes capital letters of all bytes.
private final class Capitals: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = IOData

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let bytes) = unwrapOutboundIn(data) else { return }
        context.write(
            NIOAny(IOData.byteBuffer(ByteBuffer(string: String(buffer: bytes).uppercased()))),
            promise: promise
        )
    }
}

/// The handler that has the output.
private final class Outputs: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    private let isEncrypted: Bool
    private(set) var output: SocketOutput?

    init(isEncrypted: Bool) {
        self.isEncrypted = isEncrypted
    }

    func handlerAdded(context: ChannelHandlerContext) {
        output = SocketOutput(context, isEncrypted: isEncrypted)
    }
}

/// A file with these bytes, which exists until it is closed.
func openFile(_ text: String) throws -> LocalFile {
    let path = "/tmp/lcfile-output-\(UInt64.random(in: 0 ... .max))"
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
    try #require(descriptor >= 0)
    unlink(path)
    try #require(write(descriptor, text, text.utf8.count) == text.utf8.count)
    return LocalFile(owning: descriptor)
}
