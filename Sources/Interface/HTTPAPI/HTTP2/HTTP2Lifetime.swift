internal import CoreMetrics
internal import Logging
internal import NIOCore
internal import NIOHTTP2

/// Ends a connection of HTTP/2 that has no open stream for too long, and one that is idle when the server stops.
///
/// It announces the end (`GOAWAY`, RFC 9113 section 6.8) and lets ``NIOHTTP2ServerConnectionManagementHandler``, which
/// follows it, end the connection after its last stream; it closes that of a client that does not confirm. Frames
/// without a request, such as `PING`, do not keep a connection open. One timer is armed again only when it fires, as in
/// ``ConnectionLifetime``; the streams have timers of their own for requests that stop arriving. Used on its
/// connection's event loop only.
final class HTTP2Lifetime: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let idleTimeout: TimeAmount
    private let activity: ConnectionActivity
    private let logger: Logger
    private var timer: Scheduled<Void>?
    private var isStopping = false
    /// Whether an exceeded limit was counted, which each further frame exceeds, too.
    private var isCounted = false

    /// The data of the `PING` frame that the client answers after it has the announcement of the end.
    private static let announcement = HTTP2PingData(withInteger: 1)

    /// - Parameters:
    ///   - idleTimeout: How long a connection can have no open stream before it is closed.
    ///   - activity: Since when it has none.
    ///   - logger: Records errors of clients.
    init(idleTimeout: TimeAmount, activity: ConnectionActivity, logger: Logger) {
        self.idleTimeout = idleTimeout
        self.activity = activity
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        schedule(in: idleTimeout, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .ping(HTTP2Lifetime.announcement, ack: true) = unwrapInboundIn(data).payload, isStopping {
            context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        } else {
            context.fireChannelRead(data)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is RequestGate.CloseIfIdle:
            if activity.idleSince != nil { stop(context) }
        case is ChannelShouldQuiesceEvent:
            stop(context)
        case ChannelEvent.inputClosed:
            // A client that can grant no further bytes to its streams waits for none of them.
            context.close(promise: nil)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !isCounted, let limit = HTTP2Lifetime.limit(of: error) {
            isCounted = true
            Counter(label: "lcfile_limits_hit_total", dimensions: [("limit", limit)]).increment()
        }
        // The connection is closed by GoAwayHandler, if the error is not that of a single stream.
        logger.debug("Error of HTTP/2", metadata: ["error": "\(error)"])
    }

    /// The setting of the limit that a client exceeded.
    private static func limit(of error: any Error) -> String? {
        switch error {
        case is NIOHTTP2Errors.ExcessiveRSTFrames: "http2.maxResets"
        case is NIOHTTP2Errors.ExcessiveControlFrames: "http2.maxControlFrames"
        default: nil
        }
    }

    /// Announces the end and closes the connection after its last stream.
    private func stop(_ context: ChannelHandlerContext) {
        guard !isStopping else { return }
        isStopping = true
        timer?.cancel()
        announce(context)
        schedule(in: LingeringCloseHandler.time, context)
    }

    /// Tells the client to begin no further stream, and asks for its confirmation.
    ///
    /// Frames that it sent before it knew still have to be served. NIO takes an idle connection for ended with its own
    /// first `GOAWAY`, and answers what crosses it with `PROTOCOL_ERROR`; so it learns of the end after the client.
    private func announce(_ context: ChannelHandlerContext) {
        let socket = try? context.pipeline.syncOperations.context(handlerType: GoAwayHandler.self)
        socket?.write(NIOAny(IOData.byteBuffer(.goAway(.noError))), promise: nil)
        let ping = HTTP2Frame.FramePayload.ping(HTTP2Lifetime.announcement, ack: false)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: ping)), promise: nil)
    }

    private func schedule(in time: TimeAmount, _ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in check(context) }
    }

    private func check(_ context: ChannelHandlerContext) {
        guard !isStopping else {
            if activity.idleSince != nil {
                context.close(promise: nil)
            } else {
                schedule(in: LingeringCloseHandler.time, context)
            }
            return
        }
        let now = NIODeadline.now()
        let deadline = (activity.idleSince ?? now) + idleTimeout
        if deadline > now {
            schedule(in: deadline - now, context)
        } else {
            stop(context)
        }
    }
}
