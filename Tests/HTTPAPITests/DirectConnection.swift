import Domain
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Synchronization

@testable import HTTPAPI

/// A connection's bytes through all handlers, with the routes of the test.
///
/// `/now` and unknown paths respond at once, `/later` when the test says so, `/many` with a body of several pieces, `/long` with one of
/// 20 000 bytes, and `/nothing` with 204.
final class DirectConnection: Sendable {
    let channel = NIOAsyncTestingChannel()
    let connections = OpenConnections()
    let tasks = DirectTasks()
    let metrics = RequestMetrics()
    private let later = AsyncStream<Void>.makeStream()
    private let threads = Mutex<[Bool]>([])

    /// - Parameter isOpen: Whether the task of the connection has begun.
    /// - Throws: An error of the pipeline.
    init(isOpen: Bool = true) async throws {
        let responder = DirectResponder(
            CallbackResponder<APIContext> { [self] request, context in await respond(to: request, context) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        try await channel.testingEventLoop.executeInContext { [self] in
            let activity = ConnectionActivity()
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let gate = RequestGate(connections: connections, activity: activity, metrics: metrics, logger: logger)
            let direct = DirectRequests(gate: gate, responder: responder, tasks: tasks, isEncrypted: false)
            let hot = HotDownloadHandler(
                downloads: HotDownloads(limits: HotDownloadLimits(), feeds: []),
                direct: direct,
                gate: gate,
                connections: connections,
                activity: activity,
                log: HotDownloadLog(logger: logger),
                isEncrypted: false
            )
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(hot)
            try pipeline.addHandler(LingeringCloseHandler())
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(HTTP1Pipeline.decoder())
            try pipeline.addHandler(gate)
            try pipeline.addHandler(ConnectionLifetime(idleTimeout: .seconds(60), activity: activity))
            try pipeline.addHandler(HeadHandler())
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(direct)
        }
        if isOpen { tasks.open() }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
    }

    private func respond(to request: Request, _ context: APIContext) async -> Response {
        threads.withLock { $0.append(context.channel.eventLoop.inEventLoop) }
        switch request.uri.path {
        case "/later":
            for await _ in later.stream { break }
            return response("later")
        case "/many":
            let pieces = ["one ", "two ", "three"].map { ByteBuffer(string: $0) }
            return Response(status: .ok, body: ResponseBody(asyncSequence: AsyncStream(pieces)))
        case "/long": return response(String(repeating: "x", count: 20_000))
        case "/nothing": return Response(status: .noContent)
        default: return response(String(request.uri.path.dropFirst()))
        }
    }

    private func response(_ text: String) -> Response {
        Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Whether each route began on the event loop.
    var begunOnEventLoop: [Bool] { threads.withLock { $0 } }

    /// Lets one `/later` respond.
    func respondLater() {
        later.continuation.yield()
    }

    func send(_ text: String) async throws {
        _ = try await channel.writeInbound(ByteBuffer(string: text))
    }

    /// The client ends its sending, and still reads.
    func endInput() async throws {
        try await channel.testingEventLoop.executeInContext { [channel] in
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }

    /// The writes to the socket since the last call.
    func sent() async throws -> [String] {
        var writes: [String] = []
        while case .byteBuffer(let bytes)? = try await channel.readOutbound(as: IOData.self) {
            writes.append(String(buffer: bytes))
        }
        return writes
    }

    /// The targets of the requests that reached the task of the connection since the last call.
    func routed() async throws -> [String] {
        var targets: [String] = []
        while let part = try await channel.readInbound(as: HTTPRequestPart.self) {
            if case .head(let head) = part { targets.append(head.path ?? "") }
        }
        return targets
    }

    /// A response of the task of the connection.
    func answer() async throws {
        let head = HTTPResponse(status: .accepted, headerFields: [.contentLength: "0"])
        try await channel.testingEventLoop.executeInContext { [channel] in
            channel.write(HTTPResponsePart.head(head), promise: nil)
            channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// A stream of known elements.
    fileprivate init(_ elements: [Element]) {
        self.init { continuation in
            for element in elements { continuation.yield(element) }
            continuation.finish()
        }
    }
}

/// Notes that the end of the input arrived.
final class InputEnd: ChannelInboundHandler, Sendable {
    typealias InboundIn = Any

    private let end = Atomic(false)

    var hasArrived: Bool { end.load(ordering: .relaxed) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { end.store(true, ordering: .relaxed) }
        context.fireUserInboundEventTriggered(event)
    }
}

/// Stands before a socket whose buffer is full: it holds all writes until ``accept()``.
///
/// Except for ``held``, used on the event loop of its channel only.
final class FullSocket: ChannelOutboundHandler, @unchecked Sendable {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let bytes = Atomic(0)
    private var writes: [(NIOAny, EventLoopPromise<Void>?)] = []
    private var context: ChannelHandlerContext?

    /// The number of bytes that wait.
    var held: Int { bytes.load(ordering: .relaxed) }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        bytes.add(unwrapOutboundIn(data).readableBytes, ordering: .relaxed)
        writes.append((data, promise))
    }

    /// Sends all that waits.
    func accept() {
        for (data, promise) in writes { context?.write(data, promise: promise) }
        writes = []
        context?.flush()
    }
}
