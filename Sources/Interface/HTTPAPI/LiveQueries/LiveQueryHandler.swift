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

    private let connections: LiveConnections
    private let format: RealtimeFormat
    let outbox: LiveQueryOutbox
    private(set) var dialogue: LiveQueryDialogue
    /// Whether a close frame was sent.
    private var isClosing = false
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

    init(_ connections: LiveConnections, _ handshake: WebSocketHandshake, on channel: any Channel) {
        self.connections = connections
        format = handshake.format
        outbox = LiveQueryOutbox(
            channel: channel,
            limits: connections.limits,
            memory: connections.queues,
            address: handshake.address
        )
        dialogue = LiveQueryDialogue(
            services: connections.services,
            app: handshake.app,
            outbox: outbox,
            address: handshake.address
        )
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
        guard !isClosing || frame.opcode == .connectionClose else { return }
        switch frame.opcode {
        case .text, .binary:
            connections.messages.received.add()
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
            // Without `goaway`: JavaScript's SDK then asks for the route at once, and its rejected promise ends a process
            // of Node.js. After the close frame every SDK comes back by itself.
            close(.goingAway, context)
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
        let answer = dialogue.perform(command)
        if let reply = answer.reply { send(reply, context) }
        if let code = answer.end { close(code, context) }
        // Those that came between the log-in and its reply.
        sendEvents(context)
    }

    private func send(_ command: RealtimeCommand, _ context: ChannelHandlerContext) {
        connections.messages.sent.add()
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
        guard let app = dialogue.attachments.first?.app else { return }
        defer { context.flush() }
        while context.channel.isWritable || outbox.isGoing {
            switch outbox.next() {
            case .item(.event(let event, let installation)):
                // It was queued before the installation logged out.
                guard dialogue.receives(installation) else { continue }
                sent += 1
                send(
                    RealtimeCommand(
                        .data,
                        service: LiveQueryDialogue.service,
                        installationID: installation.description,
                        messages: [.init(id: "m\(sent)", json: event.json)]
                    ),
                    context
                )
            case .item(.begun(let attachment)):
                for reply in dialogue.begin(attachment) { send(reply, context) }
            case .item(.failed(let attachment, let error)):
                let (replies, end) = dialogue.drop(attachment, because: error)
                for reply in replies { send(reply, context) }
                if let end { close(end, context) }
            case .goAway(let isSlow):
                if isSlow { connections.noteSlowClient(of: app) }
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
        guard !isClosing else { return }
        send(RealtimeCommand(.goaway), context)
        close(.goingAway, context)
    }

    /// Sends a close frame, and closes the connection when the client answers or after ``closeTime``.
    private func close(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        isClosing = true
        dialogue.end()
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
        if !isClosing {
            var data = frame.unmaskedData
            let isEmpty = data.readableBytes == 0
            let code = isEmpty ? .normalClosure : data.readWebSocketErrorCode() ?? .protocolError
            let hasText = String(validating: data.readableBytesView, as: UTF8.self) != nil
            close(code.isAllowed && hasText ? code : .protocolError, context)
        }
        context.close(promise: nil)
    }

    private func schedule(in time: TimeAmount, _ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in wake(context) }
    }

    private func wake(_ context: ChannelHandlerContext) {
        let end = lastRead + .seconds(Int64(connections.limits.idleTimeout))
        if isClosing {
            context.close(promise: nil)
        } else if !dialogue.isLoggedIn {
            close(.loginTimeout, context)
        } else if context.eventLoop.now >= end {
            close(.goingAway, context)
        } else {
            schedule(in: end - context.eventLoop.now, context)
        }
    }

    private func end() {
        isClosing = true
        timer?.cancel()
        timer = nil
        dialogue.end()
    }
}
