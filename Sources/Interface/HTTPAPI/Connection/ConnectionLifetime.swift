internal import NIOCore
internal import NIOHTTP1

/// Closes a connection that sends no request for too long, and one that is idle when the server stops.
///
/// A request whose head or body stops arriving counts like a missing one, and so does the rest of a body whose request
/// is answered already; a request that has arrived takes as long as its client takes parts of the response. One timer a
/// connection is armed again only when it fires, so requests cost no timer. It follows ``RequestGate``; used on its
/// connection's event loop only.
final class ConnectionLifetime: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let idleTimeout: TimeAmount
    private let activity: ConnectionActivity
    private var timer: Scheduled<Void>?
    /// The time of the last part of a request.
    private var lastPart = NIODeadline.now()
    /// Whether the rest of a request has not arrived.
    private var isReading = false
    /// Whether the connection closes after the responses to the requests that have arrived.
    private var isStopping = false
    /// When the connection was accepted.
    private let accepted = NIODeadline.now()

    /// The time after which a connection without a request is idle when the server stops: that of a client which has just
    /// connected is on its way.
    private static let firstRequest = TimeAmount.milliseconds(500)

    /// - Parameters:
    ///   - idleTimeout: How long a connection can send no part of a request before it is closed.
    ///   - activity: Since when the connection is idle, which the gate and ``HotDownloadHandler`` record.
    init(idleTimeout: TimeAmount, activity: ConnectionActivity) {
        self.idleTimeout = idleTimeout
        self.activity = activity
    }

    func handlerAdded(context: ChannelHandlerContext) {
        lastPart = .now()
        schedule(in: idleTimeout, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: isReading = true
        case .body: break
        case .end: isReading = false
        }
        let isAnswered = activity.idleSince != nil
        if !isAnswered || !isReading { lastPart = .now() }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isStopping, case .end = unwrapOutboundIn(data) else {
            context.write(data, promise: promise)
            return
        }
        context.writeAndFlush(data, promise: promise)
        closeIfIdle(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        isStopping = true
        let rest = accepted + ConnectionLifetime.firstRequest - .now()
        guard !activity.hasBegun, rest > .zero else { return closeIfIdle(context) }
        context.eventLoop.assumeIsolated().scheduleTask(in: rest) { [self] in
            if context.channel.isActive { closeIfIdle(context) }
        }
    }

    private func closeIfIdle(_ context: ChannelHandlerContext) {
        guard activity.idleSince != nil else { return }
        guard !context.hasWrittenAll else { return context.close(promise: nil) }
        // NIO would drop what the client has not taken yet; LingeringCloseHandler waits for it.
        context.close(mode: .output, promise: nil)
    }

    private func schedule(in time: TimeAmount, _ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in check(context) }
    }

    private func check(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        var deadline = now + idleTimeout
        if isReading {
            deadline = lastPart + idleTimeout
        } else if let since = activity.idleSince {
            deadline = max(lastPart, since) + idleTimeout
        }
        if deadline > now {
            schedule(in: deadline - now, context)
        } else if !isReading, !context.hasWrittenAll {
            // The client takes parts of a response that is complete here; if it stops, `TCP_USER_TIMEOUT` ends the
            // connection.
            schedule(in: idleTimeout, context)
        } else {
            context.close(promise: nil)
        }
    }
}
