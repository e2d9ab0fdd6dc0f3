internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1
internal import NIOHTTPTypesHTTP2

/// Decides what happens to the request of a stream: ``StreamRules`` can refuse it, a prepared response can answer it,
/// and otherwise a route does.
///
/// It also counts the request, closes a stream whose request stops arriving or whose response the client does not take,
/// and ends one whose response is complete before its request. It is the last handler of a stream until the request
/// goes to its route. Used on its connection's event loop only.
final class StreamGate: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The size of the largest frame that every client accepts (RFC 9113 section 4.2).
    private static let pieceSize = 16 << 10

    private let services: ConnectionServices
    private let streams: HTTP2Streams
    private let logger: Logger

    /// The head, until the next frame shows whether the request has a body.
    private var held: HTTPRequest?
    /// The request, until its response is complete.
    private var measured: MeasuredRequest?
    /// Whether the rest of the request has not arrived.
    private var isReading = true
    /// Whether the request is answered here and its body is dropped.
    private var isAnswered = false
    /// Whether the stream has the place of its connection, and does not count in ``StreamLimit``.
    private var hasPlace = false
    private var lastPart = NIODeadline.now()
    /// The parts of the response that the client has not taken, and when it took the last one before them.
    private var unsent = 0
    private var lastSent = NIODeadline.now()
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - services: What all connections share.
    ///   - streams: The streams of the connection.
    ///   - logger: Records refused requests.
    init(services: ConnectionServices, streams: HTTP2Streams, logger: Logger) {
        self.services = services
        self.streams = streams
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        streams.begin()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        if let measured { services.metrics.end(measured, isCutOff: true) }
        measured = nil
        if hasPlace { streams.givePlace() }
        streams.end()
    }

    // MARK: Request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isAnswered else {
            if case .end = unwrapInboundIn(data) { isReading = false }
            return
        }
        lastPart = .now()
        switch unwrapInboundIn(data) {
        case .head(let head):
            do {
                held = try StreamRules.check(head)
            } catch {
                refuse(error, head, context)
            }
        case .body(let bytes):
            handOn(context)
            guard !isAnswered else { return }
            if let measured { services.metrics.received(bytes.readableBytes, of: measured) }
            context.fireChannelRead(data)
        case .end(let trailers):
            isReading = false
            if trailers == nil, let head = held, answerPrepared(head, context) { return }
            handOn(context)
            if !isAnswered { context.fireChannelRead(data) }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        handOn(context)
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        // NIO ends the body of a stream whose connection has ended as if it were complete.
        if isReading, measured != nil, !isAnswered { context.fireErrorCaught(ChannelError.inputClosed) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A route gets the error from the body; without one, nothing else ends the stream.
        if measured == nil || isAnswered { context.close(promise: nil) } else { context.fireErrorCaught(error) }
    }

    /// Hands the request over to its route.
    private func handOn(_ context: ChannelHandlerContext) {
        guard let head = held else { return }
        held = nil
        guard takePlace(context) else { return refuse(.tooManyStreams, head, context) }
        measured = services.metrics.begin(head)
        if isReading { schedule(in: services.idleTimeout, context) }
        do {
            try context.pipeline.syncOperations.addHandlers(
                StreamFileHandler(files: services.files),
                ContinueHandler(),
                RequestTrailers(),
                ClientPresence()
            )
            streams.append(try HTTPConnection.Requests(wrappingChannelSynchronously: context.channel))
            context.fireChannelRead(wrapInboundOut(.head(head)))
        } catch {
            // The stream was closed in between.
            context.close(promise: nil)
        }
    }

    private func answerPrepared(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> Bool {
        guard let answer = HotStreamAnswer(to: head, services) else { return false }
        held = nil
        // Responses from memory need no place. They hold no descriptor; `http2.maxStreams` bounds their number on a
        // connection, and `downloads.hotMemory` the bytes that clients have not taken: beyond it requests go to their
        // routes, which need a place (``HotDownloads/isCongested``).
        guard !answer.holdsFile || takePlace(context) else {
            refuse(.tooManyStreams, head, context)
            return true
        }
        isAnswered = true
        answer.send(context) { [self] part, promise in
            if case .body(let bytes) = part { return self.send(bytes, promise, context) }
            context.write(wrapOutboundOut(part), promise: watch(promise, context))
        }
        return true
    }

    /// Takes the place of the connection, or else one of ``StreamLimit``, until the stream closes.
    ///
    /// - Returns: Whether there was one; otherwise the caller refuses the request.
    private func takePlace(_ context: ChannelHandlerContext) -> Bool {
        hasPlace = streams.takePlace()
        return hasPlace || services.streams.admit(context.channel)
    }

    private func refuse(_ refusal: RequestRefusal, _ head: HTTPRequest, _ context: ChannelHandlerContext) {
        logger.debug(
            "Request refused",
            metadata: ["status": "\(refusal.status.code)", "reason": "\(refusal.message)"]
        )
        isAnswered = true
        measured = services.metrics.begin(head)
        let body = refusal.body
        let fields = HTTPFields(refusal.head(length: body.readableBytes).headers, splitCookie: false)
        let response = HTTPResponse(status: .init(code: Int(refusal.status.code)), headerFields: fields)
        write(context: context, data: NIOAny(HTTPResponsePart.head(response)), promise: nil)
        if head.method != .head { write(context: context, data: NIOAny(HTTPResponsePart.body(body)), promise: nil) }
        write(context: context, data: NIOAny(HTTPResponsePart.end(nil)), promise: nil)
        context.flush()
        if isReading, timer == nil { schedule(in: services.idleTimeout, context) }
    }

    private func schedule(in time: TimeAmount, _ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            timer = nil
            // Of a request that arrives while its response is sent, either can go on.
            let last = [isReading ? lastPart : nil, unsent > 0 ? lastSent : nil].compactMap(\.self).max()
            guard let last else { return }
            let deadline = last + services.idleTimeout
            let now = NIODeadline.now()
            if deadline > now { schedule(in: deadline - now, context) } else { context.close(promise: nil) }
        }
    }

    /// Begins to wait until the client has taken a part of the response; only a client whose windows stay closed takes
    /// none, because the socket has a time-out of its own.
    private func watch(
        _ promise: EventLoopPromise<Void>?,
        _ context: ChannelHandlerContext
    ) -> EventLoopPromise<Void> {
        if unsent == 0 { lastSent = .now() }
        unsent += 1
        if timer == nil { schedule(in: services.idleTimeout, context) }
        let sent = promise ?? context.eventLoop.makePromise()
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in
            unsent -= 1
            lastSent = .now()
        }
        return sent
    }

    // MARK: Response

    /// Writes bytes of the response in pieces, so that a client that takes them slowly, or many streams at once, is seen
    /// to take them.
    private func send(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        var rest = bytes
        while rest.readableBytes > StreamGate.pieceSize, let piece = rest.readSlice(length: StreamGate.pieceSize) {
            context.write(wrapOutboundOut(.body(piece)), promise: watch(nil, context))
        }
        context.write(wrapOutboundOut(.body(rest)), promise: watch(promise, context))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var response):
            if response.status.kind != .informational { measured?.status = response.status.code }
            response.headerFields.removeConnectionFields()
            if response.headerFields.contains(.date) { response.headerFields[.date] = services.dates.now }
            // RFC 9110 section 8.6; the encoder of HTTP/1.1 removes it, too.
            if response.status == .noContent { response.headerFields[.contentLength] = nil }
            guard let head = HeadLimit.limited(response) else { return reset(promise, context) }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(let bytes):
            if let measured { services.metrics.sent(bytes.readableBytes, of: measured) }
            send(bytes, promise, context)
        case .end:
            let sent = watch(promise, context)
            if isReading {
                endRequest(after: sent.futureResult, context)
                context.writeAndFlush(data, promise: sent)
            } else {
                context.write(data, promise: sent)
            }
            if let measured { services.metrics.end(measured) }
            measured = nil
        }
    }

    /// Resets the stream of a response whose head is too long for HTTP/2; later parts of it are dropped.
    private func reset(_ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        logger.debug("Response dropped", metadata: ["reason": "Its head does not fit into a frame of HTTP/2."])
        let event = NIOHTTP2FramePayloadToHTTPEvent.reset(code: .internalError)
        context.triggerUserOutboundEvent(event, promise: nil)
        promise?.fail(ChannelError.ioOnClosedChannel)
        if let measured { services.metrics.end(measured, isCutOff: true) }
        measured = nil
    }

    /// Tells the client that the rest of its request is not needed (RFC 9113 section 8.1), unless it arrives meanwhile.
    ///
    /// - Parameters:
    ///   - sent: When the response is sent: a reset drops the parts of it that wait.
    ///   - context: The handler's context.
    private func endRequest(after sent: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
        sent.assumeIsolated().whenSuccess { [self] in
            guard isReading, context.channel.isActive else { return }
            let event = NIOHTTP2FramePayloadToHTTPEvent.reset(code: .noError)
            context.triggerUserOutboundEvent(event, promise: nil)
        }
    }
}

extension HTTPFields {
    /// Removes the fields that concern a connection of HTTP/1.1 (RFC 9113 section 8.2.2).
    fileprivate mutating func removeConnectionFields() {
        // Only if one is present, because each change rebuilds the index of the fields.
        for name in [HTTPField.Name.connection, .transferEncoding, .upgrade] where contains(name) { self[name] = nil }
    }
}
