internal import Domain
internal import Logging
internal import NIOCore

/// Answers simple requests for hot downloads on the connection's event loop, before the decoder sees them, and passes
/// other requests without a body to their routes directly.
///
/// It is the first handler of a connection, after the one that decrypts. The rules that make two readers of one
/// connection safe:
///
/// - It answers only a request that ``RequestScan`` recognises as simple, and passes on directly only one that it
///   recognises as whole (``DirectRequests``); both only while all earlier requests of the connection have their whole
///   responses (``RequestGate/isAtRest``). So responses keep the order of the requests.
/// - While the server drains, it does not answer the last request that has arrived: the response of a route has
///   `Connection: close`.
/// - It passes all other bytes on unchanged. When it passes on anything but exactly one whole request without a body,
///   it leaves the connection for good: after that only the decoder knows where the next request begins.
/// - While it sends a response, bytes and events that arrive wait in their order, and the socket is not read after the
///   first of them.
/// - After a response whose body could not be sent whole it closes the connection and drops what arrives, because the
///   next response would be part of that body.
///
/// Used on its connection's event loop only.
final class HotDownloadHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let downloads: HotDownloads
    private let direct: DirectRequests?
    private let gate: RequestGate
    private let connections: OpenConnections
    private let activity: ConnectionActivity
    private let files: FileSending
    private let log: HotDownloadLog
    private let isEncrypted: Bool
    private var output: SocketOutput?
    private var responses: HotDownloadOutput?

    /// Whether a response is being sent, or the event loop does other work between two responses.
    private var isBusy = false
    /// Whether a response is being written, so that its end is found by the caller.
    private var isAnswering = false
    /// The bytes and events that arrived while the handler was busy.
    private var waiting: [Arrival] = []
    /// Whether the pipeline wants to read, which waits too.
    private var awaitsRead = false
    /// Whether bytes were passed on since the last end of a read.
    private var hasPassedOn = false
    /// Whether all handlers behind this one want to read: they called `read`, and nothing was passed on since.
    private var isReadWanted = false
    /// Whether all bytes are passed on, until the handler has left the pipeline.
    private var isLeaving = false
    /// Whether a response could not be sent whole; the connection is closed, which takes a while if it is encrypted.
    private var isCutOff = false

    /// The maximum number of responses in a row: a client that sends many requests at once must not occupy the event
    /// loop, which serves other connections, too.
    static let longestRow = 32

    private enum Arrival {
        case bytes(ByteBuffer)
        case event(Any)
    }

    /// - Parameters:
    ///   - downloads: The prepared responses.
    ///   - direct: Answers other requests without a body; `nil` if all of them are passed on.
    ///   - gate: The gate of the same connection.
    ///   - connections: Tells whether the server drains.
    ///   - activity: Records when the connection is idle; the gate has the same one.
    ///   - files: How files are sent.
    ///   - log: Records each response.
    ///   - isEncrypted: Whether the handler before this one encrypts.
    init(
        downloads: HotDownloads,
        direct: DirectRequests?,
        gate: RequestGate,
        connections: OpenConnections,
        activity: ConnectionActivity,
        files: FileSending = .kernel,
        log: HotDownloadLog,
        isEncrypted: Bool
    ) {
        self.downloads = downloads
        self.direct = direct
        self.gate = gate
        self.connections = connections
        self.activity = activity
        self.files = files
        self.log = log
        self.isEncrypted = isEncrypted
    }

    /// Whether the channel is writable, as the next handlers know.
    private var isKnownWritable = true

    func handlerAdded(context: ChannelHandlerContext) {
        let output = SocketOutput(context, isEncrypted: isEncrypted)
        responses = HotDownloadOutput(downloads, files, output, context)
        direct?.output = output
        self.output = output
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        direct?.output = nil
        output = nil
        responses = nil
    }

    // MARK: Requests

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !isBusy { tellWritability(context) }
    }

    private func tellWritability(_ context: ChannelHandlerContext) {
        guard context.channel.isWritable != isKnownWritable else { return }
        isKnownWritable.toggle()
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isCutOff else { return }
        let bytes = unwrapInboundIn(data)
        guard !isBusy else {
            waiting.append(.bytes(bytes))
            return
        }
        take(bytes, context)
        leaveIfDone(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard hasPassedOn else {
            // The same as the call of all handlers that follows, on a shorter way.
            if isReadWanted, waiting.isEmpty { context.read() }
            return
        }
        hasPassedOn = false
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if isBusy, !waiting.isEmpty {
            awaitsRead = true
        } else {
            isReadWanted = true
            context.read()
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is RequestGate.CloseIfIdle where isBusy: break
        case is ChannelShouldQuiesceEvent where isBusy, is ChannelEvent where isBusy: waiting.append(.event(event))
        default:
            isReadWanted = false
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Answers the requests at the beginning of the bytes while they are hot, and passes on the rest.
    private func take(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        var bytes = bytes
        var row = 0
        while bytes.readableBytes > 0, !isCutOff, context.channel.isActive {
            let scan = isLeaving ? .unclear : RequestScan(bytes, noting: log.forwardingField)
            let now = NIODeadline.now()
            if case .simple(let request) = scan, gate.isAtRest, !downloads.isCongested,
                !endsConnection(request, bytes), let download = downloads.find(request.target, at: now)
            {
                bytes.moveReaderIndex(forwardBy: request.length)
                answer(request, at: now, download, context)
            } else if let direct, direct.isOpen, scan.isDirect, gate.isAtRest, context.channel.isWritable,
                let head = scan.length.flatMap({ bytes.readSlice(length: $0) })
            {
                direct.take(head, on: context.channel)
            } else {
                isLeaving = scan.length != bytes.readableBytes
                hasPassedOn = true
                isReadWanted = false
                context.fireChannelRead(wrapInboundOut(bytes))
                return
            }
            row += 1
            if !isBusy, row == HotDownloadHandler.longestRow, bytes.readableBytes > 0 {
                isBusy = true
                context.eventLoop.assumeIsolated().execute { [self] in
                    isBusy = false
                    tellWritability(context)
                    resume(context)
                }
            }
            if isBusy {
                if bytes.readableBytes > 0 { waiting.insert(.bytes(bytes), at: 0) }
                return
            }
        }
    }

    /// Whether the response to the request at the beginning of the bytes must end the connection: the server drains, and no
    /// other request has arrived.
    private func endsConnection(_ request: SimpleRequest, _ bytes: ByteBuffer) -> Bool {
        guard connections.isDraining, request.length == bytes.readableBytes else { return false }
        return !waiting.contains { arrival in
            if case .bytes = arrival { true } else { false }
        }
    }

    /// Continues with the bytes and events that arrived while the handler was busy.
    private func resume(_ context: ChannelHandlerContext) {
        while !waiting.isEmpty, !isBusy, !isCutOff, context.channel.isActive {
            switch waiting.removeFirst() {
            case .bytes(let bytes):
                take(bytes, context)
            case .event(let event):
                channelReadComplete(context: context)
                isReadWanted = false
                context.fireUserInboundEventTriggered(event)
            }
        }
        if isCutOff { waiting = [] }
        guard waiting.isEmpty, context.channel.isActive else { return }
        if !isBusy { channelReadComplete(context: context) }
        if awaitsRead {
            awaitsRead = false
            context.read()
        }
        leaveIfDone(context)
    }

    /// Leaves the connection to the decoder, if bytes were passed on behind which only it can find the next request.
    private func leaveIfDone(_ context: ChannelHandlerContext) {
        guard isLeaving, !isBusy, context.channel.isActive else { return }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        output?.noteWrite()
        context.write(data, promise: promise)
    }

    private func answer(
        _ request: SimpleRequest,
        at time: NIODeadline,
        _ download: HotDownload,
        _ context: ChannelHandlerContext
    ) {
        guard let responses else { return }
        let isUnchanged = download.isUnchanged(for: request.tags)
        let hasBody = !request.isHead && !isUnchanged
        let entry = log.begin(
            request,
            at: time,
            download,
            isUnchanged: isUnchanged,
            from: context.channel.remoteAddress
        )
        let head = download.head(
            isUnchanged: isUnchanged,
            id: entry.id,
            date: downloads.date,
            context.channel.allocator
        )
        isBusy = true
        isAnswering = true
        defer { isAnswering = false }
        activity.begin()
        guard let sent = responses.send(head, hasBody ? download : nil) else {
            return finish(entry, isComplete: true, context)
        }
        sent.assumeIsolated().whenComplete { [self] result in
            var isComplete = true
            if case .failure(let error) = result {
                isComplete = false
                cutOff(by: error, download, request.target, context)
            }
            finish(entry, isComplete: isComplete, context)
        }
    }

    /// Closes the connection after every error, because the head has been sent; reports a file that cannot be read.
    private func cutOff(
        by error: any Error,
        _ download: HotDownload,
        _ target: String,
        _ context: ChannelHandlerContext
    ) {
        if let blob = download.file?.blob, let failure = FailedRead(error) {
            blob.noteDamage()
            downloads.remove(target: target)
            failure.report(to: log.logger)
        }
        isCutOff = true
        if context.channel.isActive { context.close(promise: nil) }
    }

    /// Records the end of a response, and continues unless the caller does.
    private func finish(_ entry: HotDownloadLog.Entry, isComplete: Bool, _ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        log.end(entry, at: now, isComplete: isComplete)
        activity.end(at: now)
        isBusy = false
        tellWritability(context)
        if !isAnswering { resume(context) }
    }
}
