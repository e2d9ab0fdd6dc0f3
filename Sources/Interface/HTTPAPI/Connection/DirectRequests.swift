internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTPTypes

/// Answers requests without a body on the event loop, past the handlers between socket and routes.
///
/// A short request spends most of its time on its way: in the decoder, in conversions of heads, in the queues between the
/// event loop and the task of the connection. ``HotDownloadHandler`` passes a request on here if ``RequestScan``
/// recognised it and the gate is at rest. Its route begins at once, on the event loop, in a task of its own
/// (``DirectTasks``). If the route waits for nothing, its response is written before this handler returns.
///
/// The rules that keep the order of responses:
///
/// - While a direct request has no whole response, later requests, which come from the decoder, wait here, and so does
///   the end of the input. The socket is not read after ``mostArrivals`` parts.
/// - A response leaves past the other handlers only if it is written as a whole at once, and if ``RequestGate`` would
///   neither change nor delay it. Every other one takes the way of the handlers.
///
/// It is the last handler before Hummingbird's; used on its connection's event loop only.
final class DirectRequests: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let gate: RequestGate
    private let responder: DirectResponder
    private let tasks: DirectTasks
    private let scheme: String
    private var context: ChannelHandlerContext?
    /// Whether a direct request has no whole response.
    private var isResponding = false
    /// What arrived meanwhile for the other requests of the connection.
    private var arrivals: [Arrival] = []
    /// Whether the pipeline wants to read, which waits too.
    private var awaitsRead = false
    /// The beginning of a response, until it is clear whether the whole response is written at once.
    private var waiting: [HTTPResponsePart] = []
    /// The end of a direct response that took the way of the handlers, until the socket has accepted it.
    private var unsentEnd: EventLoopFuture<Void>?
    /// Whether the last bytes were sent past the other handlers, which have nothing to flush.
    private var hasWrittenPast = false

    /// Sends in front of all handlers; `nil` while there is no first one.
    var output: SocketOutput?

    private enum Arrival {
        case part(HTTPRequestPart)
        case readComplete
        case event(Any)
        case error(any Error)
    }

    /// The maximum length in bytes of a head whose request is direct: reading a longer target could occupy the event
    /// loop, which serves other connections, too.
    static let longest = 4 << 10
    /// The maximum length in bytes of a response that is made and sent on the event loop.
    static let longestResponse = 16 << 10
    /// The number of waiting parts after which the socket is not read: enough for a short request, whose time to arrive
    /// is limited (``ConnectionLifetime``).
    static let mostArrivals = 8

    /// Whether the task of the connection has begun; before that no request is direct.
    var isOpen: Bool { tasks.isOpen }

    /// - Parameters:
    ///   - gate: The gate of the same connection.
    ///   - responder: Responds to the requests.
    ///   - tasks: The tasks of the same connection.
    ///   - isEncrypted: Whether the requests have the scheme `https`.
    init(gate: RequestGate, responder: DirectResponder, tasks: DirectTasks, isEncrypted: Bool) {
        self.gate = gate
        self.responder = responder
        self.tasks = tasks
        scheme = isEncrypted ? "https" : "http"
    }

    /// Begins to answer a request; the gate is at rest.
    ///
    /// - Parameters:
    ///   - head: The bytes of the whole request, which ``RequestScan`` recognised as direct.
    ///   - channel: The connection.
    func take(_ head: ByteBuffer, on channel: any Channel) {
        let request = HTTPRequest(scanned: head, scheme: scheme)
        gate.beginDirect(request)
        isResponding = true
        tasks.begin { [responder, requests = NIOLoopBound(self, eventLoop: channel.eventLoop)] in
            await responder.respond(to: request, on: channel, requests)
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        output = nil
        arrivals = []
        waiting = []
        unsentEnd = nil
    }

    // MARK: Other requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isResponding else { return context.fireChannelRead(data) }
        arrivals.append(.part(unwrapInboundIn(data)))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard isResponding else { return context.fireChannelReadComplete() }
        if !arrivals.isEmpty { arrivals.append(.readComplete) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelEvent, isResponding || unsentEnd != nil else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard isResponding else { return passOn(event, context) }
        arrivals.append(.event(event))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard isResponding else { return context.fireErrorCaught(error) }
        arrivals.append(.error(error))
    }

    func read(context: ChannelHandlerContext) {
        if arrivals.count < DirectRequests.mostArrivals {
            context.read()
        } else {
            awaitsRead = true
        }
    }

    /// Passes on what arrived while a direct request was being answered.
    private func resume(_ context: ChannelHandlerContext) {
        let arrivals = arrivals
        self.arrivals = []
        for arrival in arrivals {
            switch arrival {
            case .part(let part): context.fireChannelRead(wrapInboundOut(part))
            case .readComplete: context.fireChannelReadComplete()
            case .event(let event): passOn(event, context)
            case .error(let error): context.fireErrorCaught(error)
            }
        }
        if awaitsRead {
            awaitsRead = false
            context.read()
        }
    }

    /// Passes on the end of the input after the last byte of the response: Hummingbird closes a connection of whose
    /// requests it has got none, and NIO would drop the rest.
    private func passOn(_ event: Any, _ context: ChannelHandlerContext) {
        if let unsentEnd {
            return unsentEnd.assumeIsolated().whenComplete { _ in context.fireUserInboundEventTriggered(event) }
        }
        guard let output, !output.hasSentAll else { return context.fireUserInboundEventTriggered(event) }
        output.sentAll().assumeIsolated().whenComplete { _ in context.fireUserInboundEventTriggered(event) }
    }

    // MARK: Responses

    /// Begins a response whose body is short.
    func begin(_ head: HTTPResponse) {
        waiting.append(.head(head))
    }

    /// Ends the response that ``begin(_:)`` began.
    ///
    /// - Parameters:
    ///   - body: Its whole body.
    ///   - sent: Succeeds when the socket has accepted all bytes.
    func finish(_ body: ByteBuffer, _ sent: EventLoopPromise<Void>) {
        guard let context else { return sent.fail(ChannelError.ioOnClosedChannel) }
        waiting.append(.body(body))
        write(context: context, data: wrapOutboundOut(.end(nil)), promise: sent)
        flush(context: context)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        var promise = promise
        switch (part, waiting.count) {
        case (.head, 0) where isResponding && promise == nil, (.body, 1) where promise == nil:
            waiting.append(part)
            return
        case (.end(nil), 2) where writePast(promise): break
        default:
            if isResponding, case .end = part { promise = promiseOfEnd(promise, context) }
            passOn(context)
            context.write(data, promise: promise)
        }
        if case .end = part { isResponding = false }
    }

    /// The promise of the end of a direct response, or a new one, which tells when the socket has accepted all of it.
    private func promiseOfEnd(
        _ given: EventLoopPromise<Void>?,
        _ context: ChannelHandlerContext
    ) -> EventLoopPromise<Void> {
        let promise = given ?? context.eventLoop.makePromise()
        unsentEnd = promise.futureResult
        promise.futureResult.assumeIsolated().whenComplete { _ in self.unsentEnd = nil }
        return promise
    }

    /// Writes a whole response, of which the head and the body wait, past the other handlers; `false` if it must take
    /// their way.
    private func writePast(_ promise: EventLoopPromise<Void>?) -> Bool {
        guard let output, gate.permitsDirectResponse, case .head(let head) = waiting[0],
            case .body(let body) = waiting[1], let bytes = head.bytes(output.allocator)
        else { return false }
        // Before the bytes leave, which can close the connection.
        waiting.removeAll(keepingCapacity: true)
        gate.endDirect(status: head.status.code, size: body.readableBytes)
        hasWrittenPast = true
        let isSent = output.send(bytes, body)
        if isSent {
            promise?.succeed()
        } else {
            output.sentAll().cascade(to: promise)
        }
        return true
    }

    func flush(context: ChannelHandlerContext) {
        if hasWrittenPast {
            hasWrittenPast = false
        } else {
            passOn(context)
            context.flush()
        }
        if !isResponding, !arrivals.isEmpty { resume(context) }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        passOn(context)
        context.triggerUserOutboundEvent(event, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        passOn(context)
        context.close(mode: mode, promise: promise)
    }

    /// Writes the waiting parts to the next handler.
    private func passOn(_ context: ChannelHandlerContext) {
        for part in waiting { context.write(wrapOutboundOut(part), promise: nil) }
        waiting.removeAll(keepingCapacity: true)
    }
}
