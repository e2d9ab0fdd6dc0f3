internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// Passes on only requests that ``RequestRules`` accept, and ends the connection where it must end.
///
/// It follows NIO's decoder in the pipeline. It responds to refused requests itself, after all earlier responses, and
/// accepts no further request. It ensures that each request has one response, that the last response has `Connection:
/// close`, and that a request with `Upgrade` is processed like any other: the decoder stops after such a request, so the
/// gate replaces it. Only a WebSocket's handshake is not: the connection becomes a WebSocket, and the gate leaves it.
///
/// It also counts requests, because it sees all of them, those that it refuses too, and their whole responses.
///
/// Used on its connection's event loop only.
final class RequestGate: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Closes an idle connection; fired by ``OpenConnections``.
    struct CloseIfIdle: Sendable {}

    private let connections: OpenConnections
    private let logger: Logger
    private let dates: HTTPDates
    private let activity: ConnectionActivity
    /// Counts the requests that have no whole response.
    private var pipelined: PipelinedRequests

    /// The number of requests that were passed on and whose responses are not complete.
    private var unanswered = 0
    /// Whether the rest of a request that was passed on has not arrived.
    private var isReading = false
    /// Whether the client of that request waits for `100 Continue`, as far as it has sent nothing of the body.
    private var awaitsContinue = false
    /// Whether no further request is accepted.
    private var isLast = false
    /// Whether the connection closes after the current response, because it says so.
    private var closesAfterResponse = false
    /// Whether the last request uses HTTP/1.0, which has no chunked encoding.
    private var isLastOld = false
    /// Whether the decoder stops after the current request.
    private var stopsDecoder = false
    /// Whether the decoder will be replaced unless it continues.
    private var awaitsDecoder = false
    /// A head with a `Transfer-Encoding`, until the decoder shows whether it treats the body as chunked too.
    private var held: HTTPRequestHead?
    /// The handshake with which the connection becomes a WebSocket.
    private var webSocket: PendingUpgrade
    /// The refusal to send after all earlier responses.
    private var refused: RefusedRequest?
    /// Whether a response without a waiting request is being written.
    private var isDropping = false
    /// Whether the connection closes as soon as it is idle.
    private(set) var isStopping = false

    init(
        connections: OpenConnections,
        activity: ConnectionActivity = ConnectionActivity(),
        liveConnections: LiveConnections? = nil,
        metrics: RequestMetrics = RequestMetrics(),
        dates: HTTPDates = HTTPDates(),
        logger: Logger
    ) {
        pipelined = PipelinedRequests(metrics)
        self.connections = connections
        self.activity = activity
        webSocket = PendingUpgrade(liveConnections)
        self.dates = dates
        self.logger = logger
    }

    /// Whether every request has its whole response and the connection accepts further ones.
    ///
    /// The decoder can have the beginning of another request.
    var isAtRest: Bool {
        unanswered == 0 && !isReading && !isLast && held == nil && refused == nil && !webSocket.isAccepted
            && !awaitsDecoder
    }

    // MARK: Direct requests

    /// Begins a request that goes to its route directly; only while the gate is at rest.
    func beginDirect(_ request: HTTPRequest) {
        unanswered += 1
        pipelined.begin(request)
        activity.begin()
    }

    /// Whether the current response can be written without this handler: it is that of the only request, and further ones
    /// can follow.
    var permitsDirectResponse: Bool {
        unanswered == 1 && !isReading && !isLast && !isStopping && !connections.isDraining && held == nil
            && refused == nil && !webSocket.isAccepted
    }

    /// Ends the only request, whose whole response was written without this handler.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - size: The size of its body in bytes.
    func endDirect(status: Int, size: Int) {
        pipelined.sent(size)
        pipelined.end(status: status)
        unanswered -= 1
        activity.end()
    }

    // MARK: Connection

    func handlerAdded(context: ChannelHandlerContext) {
        connections.add(context.channel, activity)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        guard webSocket.isAccepted, context.channel.isActive else {
            pipelined.cutOff()
            if let refused { pipelined.cutOff(refused.measured) }
            refused = nil
            connections.remove(context.channel)
            return
        }
        pipelined.end(status: 101)
        // A WebSocket is an open connection, but never an idle one.
        context.channel.closeFuture.whenComplete { [connections, channel = context.channel] _ in
            connections.remove(channel)
        }
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            awaitsDecoder = false
            guard !isLast else { return }
            do {
                let framing = try RequestRules.check(head)
                if framing.stopsDecoder, !framing.isLast, accept(framing.head, context) { return }
                isReading = true
                isLast = framing.isLast
                isLastOld = framing.isLast && head.version == .http1_0
                stopsDecoder = framing.stopsDecoder
                awaitsContinue = framing.awaitsContinue
                held = framing.head
                if !framing.head.headers.contains(name: "Transfer-Encoding") { handOn(context) }
            } catch {
                refuse(error, of: head, context)
            }
        case .body(let bytes):
            guard isReading else { return }
            awaitsContinue = false
            handOn(context)
            pipelined.received(bytes.readableBytes)
            context.fireChannelRead(data)
        case .end:
            if webSocket.isAccepted {
                webSocket.receivedWhole()
                performUpgrade(context)
            }
            guard isReading else { return }
            handOn(context)
            isReading = false
            context.fireChannelRead(data)
            if stopsDecoder { replaceDecoder(context) }
        }
    }

    /// Accepts a WebSocket's handshake; refuses it if the server stops.
    private func accept(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Bool {
        if isStopping, webSocket.isHandshake(head) {
            refuse(.stopping, of: head, context)
            return true
        }
        guard webSocket.accept(head, on: context.channel) else { return false }
        unanswered += 1
        pipelined.begin(head)
        activity.begin()
        return true
    }

    /// Answers the handshake after the responses to all earlier requests.
    ///
    /// A client can have the whole of such a response before its end is written here.
    private func performUpgrade(_ context: ChannelHandlerContext) {
        guard unanswered == 1, let upgrade = webSocket.takeWhole() else { return }
        // Deferred until the caller, which can be the decoder, has returned.
        context.eventLoop.assumeIsolated().execute {
            if context.channel.isActive { upgrade.perform(context) }
        }
    }

    /// Passes on the head that was held back.
    private func handOn(_ context: ChannelHandlerContext) {
        guard let head = held else { return }
        held = nil
        unanswered += 1
        pipelined.begin(head)
        activity.begin()
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        handOn(context)
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let parserError = error as? HTTPParserError else {
            // Bytes after the last request are ignored, also if they cannot be decoded.
            if !isLast || !(error is ByteToMessageDecoderError) { context.fireErrorCaught(error) }
            return
        }
        if let head = held {
            held = nil
            isReading = false
            refuse(RequestRefusal(parserError), of: head, context)
        } else if isReading {
            // The route gets the error from the body; later bytes cannot be parsed.
            isLast = true
            context.fireErrorCaught(error)
        } else if !isLast {
            refuse(RequestRefusal(parserError), of: nil, context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { isStopping = true }
        if event is CloseIfIdle {
            guard unanswered == 0, refused == nil else { return }
            // Of a connection whose client still takes its response, the idle time begins later.
            if context.hasWrittenAll { context.close(promise: nil) } else { activity.end() }
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Refuses a request; `nil` for bytes that are none.
    private func refuse(_ refusal: RequestRefusal, of head: HTTPRequestHead?, _ context: ChannelHandlerContext) {
        logger.debug(
            "Connection refused",
            metadata: ["status": "\(refusal.status.code)", "reason": "\(refusal.message)"]
        )
        isLast = true
        refused = RefusedRequest(refusal, of: head, measured: pipelined.measure(head))
        if unanswered == 0 { answerRefused(context) }
    }

    /// Replaces the decoder that has stopped, which passes on its unread bytes.
    private func replaceDecoder(_ context: ChannelHandlerContext) {
        awaitsDecoder = true
        // Deferred until the decoder, which is the caller, has returned.
        context.eventLoop.assumeIsolated().execute { [self] in
            guard awaitsDecoder, context.channel.isActive else { return }
            awaitsDecoder = false
            do {
                // Requests reach their routes at the end of a read, and this read is not the socket's.
                try HTTP1Pipeline.replaceDecoder(in: context) { [self] in channelReadComplete(context: context) }
            } catch {
                // Without a decoder the connection cannot continue.
                context.close(promise: nil)
            }
        }
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        // A second response to a request whose body proved to be malformed after the first one.
        if case .head = part { isDropping = unanswered == 0 }
        guard !isDropping else {
            promise?.succeed()
            return
        }
        switch part {
        case .head(let head):
            writeHead(head, context, promise)
        case .body(let bytes):
            pipelined.sent(bytes.readableBytes)
            context.write(data, promise: promise)
        case .end:
            context.write(data, promise: promise)
            endResponse(context)
        }
    }

    private func writeHead(
        _ head: HTTPResponseHead,
        _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        var head = head
        if head.status == .continue { awaitsContinue = false }
        // Hummingbird's is up to a second old, and `Last-Modified` must not be later (RFC 9110 section 8.8.2.1).
        dates.renew(&head.headers)
        if head.status.code >= 200 { pipelined.respond(status: Int(head.status.code)) }
        if endsConnection(head) {
            isLast = true
            closesAfterResponse = true
        }
        if isLast, unanswered == 1, refused == nil, head.status.code >= 200 {
            head = head.closing(isOld: isLastOld)
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    /// Whether a connection that accepts further requests closes after the response with this head.
    private func endsConnection(_ head: HTTPResponseHead) -> Bool {
        guard !isLast else { return false }
        if head.status.code >= 200, unanswered == 1 {
            if !isReading, connections.isDraining { return true }
            // The client does not send the body after this response, and the next request would be taken for it.
            if isReading, awaitsContinue { return true }
        }
        // Hummingbird closes only if the request has it.
        return head.headers[canonicalForm: "Connection"].contains("close")
    }

    private func endResponse(_ context: ChannelHandlerContext) {
        unanswered -= 1
        pipelined.end()
        performUpgrade(context)
        if unanswered == 0 {
            activity.end()
            answerRefused(context)
        }
        if closesAfterResponse { close(context: context, mode: .output, promise: nil) }
    }

    private func answerRefused(_ context: ChannelHandlerContext) {
        guard let refused else { return }
        self.refused = nil
        pipelined.append(refused.measured)
        pipelined.sent(refused.bodySize)
        for part in refused.response { context.write(wrapOutboundOut(part), promise: nil) }
        context.flush()
        pipelined.end(status: refused.status)
        close(context: context, mode: .output, promise: nil)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else {
            context.close(mode: mode, promise: promise)
            return
        }
        isLast = true
        isReading = false
        // LingeringCloseHandler discards what still arrives.
        context.close(mode: .output, promise: promise)
    }
}
