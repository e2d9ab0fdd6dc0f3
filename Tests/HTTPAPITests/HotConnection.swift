import Domain
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization

@testable import HTTPAPI

/// A socket that accepts bytes only when the test says so.
final class BlockedSocket: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    var sent = ""
    var reads = 0
    var closes = 0
    var isBlocked = false
    /// Whether the connection is not closed yet when a handler closes it, as an encrypted one.
    var isCloseDelayed = false
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .byteBuffer(let bytes) = unwrapOutboundIn(data) { sent += String(buffer: bytes) }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        if !isBlocked { context.flush() }
    }

    func read(context: ChannelHandlerContext) {
        reads += 1
        context.read()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        closes += 1
        if !isCloseDelayed { context.close(mode: mode, promise: promise) }
    }

    /// Accepts what was written.
    func accept() {
        context?.flush()
    }

    /// What was sent since the last call.
    func take() -> String {
        defer { sent = "" }
        return sent
    }
}

/// A connection's bytes through the handler of hot downloads, NIO's decoder and the gate; the target `/hot` is prepared.
final class HotConnection {
    let channel = EmbeddedChannel()
    let socket = BlockedSocket()
    let activity = ConnectionActivity()
    let connections = OpenConnections()
    let downloads = HotDownloads(limits: HotDownloadLimits(), feeds: [])
    let records = Records()

    init(proxies: TrustedProxies = TrustedProxies(), files: FileSending = .kernel) throws {
        let gate = RequestGate(connections: connections, activity: activity, logger: Logger(label: "test"))
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let log = HotDownloadLog(logger: logger, proxies: proxies, sink: records.sink)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(socket)
        try pipeline.addHandler(
            HotDownloadHandler(
                downloads: downloads,
                direct: nil,
                gate: gate,
                connections: connections,
                activity: activity,
                files: files,
                log: log,
                isEncrypted: false
            )
        )
        try pipeline.addHandler(LingeringCloseHandler())
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(HTTP1Pipeline.decoder())
        try pipeline.addHandler(gate)
        try pipeline.addHandler(ConnectionLifetime(idleTimeout: .seconds(60), activity: activity))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        prepare("/hot")
    }

    func prepare(_ target: String) {
        downloads.prepare(target, .memory(ByteBuffer(string: "body")))
    }

    func send(_ text: String) {
        _ = try? channel.writeInbound(ByteBuffer(string: text))
    }

    /// The targets of the requests that the routes got since the last call.
    func routed() throws -> [String] {
        var targets: [String] = []
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            if case .head(let head) = part { targets.append(head.uri) }
        }
        return targets
    }

    /// The response of a route.
    func answer() {
        let head = HTTPResponseHead(version: .http1_1, status: .accepted, headers: ["Content-Length": "0"])
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }

    /// Whether the handler is still there.
    var isWatched: Bool {
        (try? channel.pipeline.syncOperations.handler(type: HotDownloadHandler.self)) != nil
    }
}

extension HotDownloads {
    /// Prepares a download of four bytes.
    func prepare(_ target: String, _ body: HotDownload.Body) {
        let response = Response(status: .ok, headers: [.eTag: "\"tag\"", .contentLength: "4"])
        let download = HotDownload(
            response,
            path: target,
            app: AppID("app"),
            tag: EntityTag(quoted: "\"tag\""),
            body: body,
            size: 4
        )
        store(download, for: target, dependingOn: [target], epoch: 0)
    }
}

/// A file of four bytes that records its damage.
final class FragileFile: OpenBlob {
    let size: Int64 = 4
    let local: LocalBytes?
    private let damage = Atomic(false)

    init() throws {
        local = .file(try openFile("body"))
    }

    var isDamaged: Bool { damage.load(ordering: .relaxed) }

    func noteDamage() {
        damage.store(true, ordering: .relaxed)
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer { ByteBuffer() }
}

extension HotConnection {
    /// The bytes of a request with further fields.
    static func get(_ target: String, _ fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    /// The statuses of the responses in what was sent.
    static func statuses(_ sent: String) -> [String] {
        sent.split(separator: "HTTP/1.1 ").map { String($0.prefix(3)) }
    }
}
