internal import Domain
internal import Logging
internal import NIOCore
internal import NIOWebSocket
internal import RealtimeMessages

/// The WebSocket of one client (protocol/data 8.5, 8.6): performs its commands, and sends the events of its
/// subscriptions.
///
/// It closes a connection that does not log in, that is silent for too long, or that breaks the protocol. It reads
/// nothing while the client does not read, so that replies never accumulate. Used on its connection's event loop only.
final class LiveQueryHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = WebSocketFrame

    private enum State {
        case isNew
        case isLoggedIn
        case isClosing
    }

    private let connections: LiveConnections
    private let format: RealtimeFormat
    private let outbox: LiveQueryOutbox
    private var state = State.isNew
    /// The installation whose events the connection receives.
    private var attachment: (app: AppID, installation: InstallationID)?
    /// The number of events sent so far, which makes the ids of messages.
    private var sent = 0
    private var lastRead: NIODeadline
    private var timer: Scheduled<Void>?
    /// Whether a read waits until the client has read what was written.
    private var holdsRead = false

    /// The time in which a client must log in.
    static let loginTime = TimeAmount.seconds(20)
    /// The time in which a client must answer a close frame, and receive what was written before.
    static let closeTime = TimeAmount.seconds(3)

    init(_ connections: LiveConnections, _ format: RealtimeFormat, on channel: any Channel) {
        self.connections = connections
        self.format = format
        outbox = LiveQueryOutbox(channel: channel, limits: connections.limits)
        lastRead = channel.eventLoop.now
    }

    func handlerAdded(context: ChannelHandlerContext) {
        schedule(in: LiveQueryHandler.loginTime, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    // MARK: Frames

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        lastRead = context.eventLoop.now
        guard state != .isClosing || frame.opcode == .connectionClose else { return }
        switch frame.opcode {
        case .text, .binary:
            guard (frame.opcode == .text) == format.isText else {
                close(.unacceptableData, context)
                return
            }
            do {
                perform(try format.decode(Array(buffer: frame.unmaskedData)), context)
            } catch {
                close(.dataInconsistentWithMessage, context)
            }
        case .ping:
            context.write(
                wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)),
                promise: nil
            )
        case .connectionClose:
            answerClose(frame, context)
        default:
            break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        holdsRead = !context.channel.isWritable
        if !holdsRead { context.read() }
    }

    /// The HTTP server behind this handler has nothing to say any more.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.ioOnClosedChannel)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            if holdsRead { read(context: context) }
            sendEvents(context)
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is LiveQueryOutbox.Filled:
            sendEvents(context)
        case is ChannelShouldQuiesceEvent:
            goAway(context)
        case ChannelEvent.inputClosed:
            context.close(promise: nil)
        case is RequestGate.CloseIfIdle:
            break
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength,
            NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
            NIOWebSocketFrameAggregator.Error.tooManyFragments:
            close(.messageTooLarge, context)
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error, is FrameRules.Violation:
            close(.protocolError, context)
        case is ByteToMessageDecoderError:
            // Bytes after the frame that was too large or malformed.
            break
        default:
            context.close(promise: nil)
        }
    }

    // MARK: Commands

    private func perform(_ command: RealtimeCommand, _ context: ChannelHandlerContext) {
        switch command.kind {
        case .login:
            logIn(command, context)
        case .echo:
            reply(.echo, to: command, context)
        case .logout:
            reply(.loggedout, to: command, context)
            close(.normalClosure, context)
        case nil where format == .json && command == RealtimeCommand():
            send(command, context)
        case .ack, .data, .error, .loggedin, .loggedout, .goaway:
            break
        case nil, .session, .conv, .direct, .rcp, .unread, .logs, .room, .read, .presence, .report, .patch, .pubsub,
            .blacklist:
            // A command without a number expects no reply.
            guard command.number != nil else { return }
            let failure = RealtimeCommand.Failure(119, "Messaging is not offered on this server, only live queries.")
            reply(.error, to: command, context, failure: failure)
        }
    }

    private func logIn(_ command: RealtimeCommand, _ context: ChannelHandlerContext) {
        let invalid = RealtimeCommand.Failure(4103, "INVALID_LOGIN")
        guard let app = command.appID.flatMap(AppID.init), let service = connections.services[app] else {
            reply(.error, to: command, context, failure: invalid)
            close(.invalidLogin, context)
            return
        }
        // Java's client of push notifications logs in too, and needs only the reply.
        guard command.service == LiveQueryHandler.service else {
            state = .isLoggedIn
            reply(.loggedin, to: command, context)
            return
        }
        guard let installation = command.installationID.flatMap(InstallationID.init) else {
            reply(.error, to: command, context, failure: invalid)
            close(.invalidLogin, context)
            return
        }
        if let attachment, attachment != (app, installation) {
            reply(.error, to: command, context, failure: invalid)
            return
        }
        do {
            if attachment == nil { try service.attach(outbox, as: installation) }
        } catch {
            let reason = (error as? ServiceError)?.message ?? "Internal error."
            reply(.error, to: command, context, failure: .init(429, reason))
            close(.tryAgainLater, context)
            return
        }
        attachment = (app, installation)
        reply(.loggedin, to: command, context)
        state = .isLoggedIn
        sendEvents(context)
    }

    /// The number of live queries among the services.
    private static let service: Int32 = 1

    private func reply(
        _ kind: RealtimeCommand.Kind,
        to command: RealtimeCommand,
        _ context: ChannelHandlerContext,
        failure: RealtimeCommand.Failure? = nil
    ) {
        let reply = RealtimeCommand(
            kind,
            service: command.service,
            installationID: command.installationID,
            number: command.number,
            failure: failure
        )
        send(reply, context)
    }

    private func send(_ command: RealtimeCommand, _ context: ChannelHandlerContext) {
        let payload = format.encode(command)
        // The encoder writes the frame's header before the payload if there is space.
        var buffer = context.channel.allocator.buffer(capacity: payload.count + LiveQueryHandler.header)
        buffer.moveWriterIndex(to: LiveQueryHandler.header)
        buffer.moveReaderIndex(to: LiveQueryHandler.header)
        buffer.writeBytes(payload)
        let frame = WebSocketFrame(fin: true, opcode: format.isText ? .text : .binary, data: buffer)
        context.write(wrapOutboundOut(frame), promise: nil)
    }

    /// The maximum size of the header of an unmasked frame.
    private static let header = 10

    // MARK: Events

    private func sendEvents(_ context: ChannelHandlerContext) {
        guard state == .isLoggedIn, let attachment else { return }
        defer { context.flush() }
        while context.channel.isWritable {
            switch outbox.next() {
            case .event(let event):
                sent += 1
                send(
                    RealtimeCommand(
                        .data,
                        service: LiveQueryHandler.service,
                        installationID: attachment.installation.description,
                        messages: [.init(id: "m\(sent)", json: event.json)]
                    ),
                    context
                )
            case .goAway(let isSlow):
                if isSlow { connections.noteSlowClient(of: attachment.app) }
                goAway(context)
                return
            case .nothing:
                return
            }
        }
    }

    // MARK: The end

    /// Tells the client to connect again, and closes the connection.
    private func goAway(_ context: ChannelHandlerContext) {
        guard state != .isClosing else { return }
        send(RealtimeCommand(.goaway), context)
        close(.goingAway, context)
    }

    /// Sends a close frame, and closes the connection when the client answers or after ``closeTime``.
    private func close(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
        guard state != .isClosing else { return }
        state = .isClosing
        detach()
        var data = context.channel.allocator.buffer(capacity: LiveQueryHandler.header + 2)
        data.write(webSocketErrorCode: code)
        context.writeAndFlush(
            wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)),
            promise: nil
        )
        timer?.cancel()
        schedule(in: LiveQueryHandler.closeTime, context)
    }

    private func answerClose(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        if state != .isClosing {
            var data = frame.unmaskedData
            let code = data.readWebSocketErrorCode()
            close(code.map { $0.isAllowed ? $0 : .protocolError } ?? .normalClosure, context)
        }
        context.close(promise: nil)
    }

    private func schedule(in time: TimeAmount, _ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in wake(context) }
    }

    private func wake(_ context: ChannelHandlerContext) {
        switch state {
        case .isNew:
            close(.loginTimeout, context)
        case .isLoggedIn:
            let end = lastRead + .seconds(Int64(connections.limits.idleTimeout))
            if context.eventLoop.now >= end {
                close(.goingAway, context)
            } else {
                schedule(in: end - context.eventLoop.now, context)
            }
        case .isClosing:
            context.close(promise: nil)
        }
    }

    private func detach() {
        guard let attachment else { return }
        self.attachment = nil
        connections.services[attachment.app]?.detach(outbox, from: attachment.installation)
    }

    private func end() {
        state = .isClosing
        timer?.cancel()
        timer = nil
        detach()
    }
}

extension WebSocketErrorCode {
    /// Codes of LeanCloud (protocol/data 8.6) and of the registry of RFC 6455.
    fileprivate static let invalidLogin = WebSocketErrorCode.unknown(4103)
    fileprivate static let loginTimeout = WebSocketErrorCode.unknown(4108)
    fileprivate static let tryAgainLater = WebSocketErrorCode.unknown(1013)

    /// Whether an endpoint can send the code (RFC 6455 section 7.4).
    fileprivate var isAllowed: Bool {
        switch UInt16(webSocketErrorCode: self) {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
