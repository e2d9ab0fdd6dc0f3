internal import HTTPTypes
package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import NIOHTTPTypes

/// Responds to direct requests as Hummingbird's application does to all others: the same routes, the same fields, the
/// same records.
package struct DirectResponder: Sendable {
    private let routes: @Sendable (Request, APIContext) async throws -> Response
    private let logger: Logger
    private let dates = HTTPDates()

    /// - Parameters:
    ///   - routes: The responder of the application.
    ///   - logger: The logger of the requests' contexts.
    package init(_ routes: some HTTPResponder<APIContext>, logger: Logger) {
        self.routes = { try await routes.respond(to: $0, context: $1) }
        self.logger = logger
    }

    /// Responds to a request without a body, and closes the connection if the response cannot be sent.
    ///
    /// - Parameters:
    ///   - head: The request.
    ///   - channel: Its connection.
    ///   - requests: The handler of the connection that took the request.
    func respond(to head: HTTPRequest, on channel: any Channel, _ requests: NIOLoopBound<DirectRequests>) async {
        let record = PendingRecord()
        let response = await PendingRecord.$current.withValue(record) {
            guard head.path?.utf8.contains(UInt8(ascii: "?")) ?? true else {
                return await self.response(to: head, channel)
            }
            // Parsing a condition, or compiling its regular expression, can take long. A child task begins on the
            // cooperative pool; `Task.yield` can continue on the same thread.
            async let response = self.response(to: head, channel)
            return await response
        }
        do {
            try await send(response, on: channel, requests)
            record.end(isComplete: true)
        } catch {
            logger.trace("A response could not be sent", metadata: ["error": "\(error)"])
            record.end(isComplete: false)
            channel.close(promise: nil)
        }
    }

    private func response(to head: HTTPRequest, _ channel: any Channel) async -> Response {
        var logger = logger
        logger[metadataKey: "hb.request.id"] = .string(HotRequestID().description)
        let context = APIContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        var response: Response
        do {
            response = try await routes(Request(head: head, body: RequestBody(buffer: ByteBuffer())), context)
        } catch {
            // The middleware renders all errors, so this is not expected.
            logger.error("A request failed without a response", metadata: ["error": "\(error)"])
            response = Response(status: .internalServerError)
        }
        response.headers[.date] = dates.now
        response.headers[.server] = "lcfile"
        return response
    }

    /// Sends a response; a short one as a whole, a long one piece by piece.
    private func send(
        _ response: Response,
        on channel: any Channel,
        _ requests: NIOLoopBound<DirectRequests>
    ) async throws {
        guard let length = response.body.contentLength, length <= DirectRequests.longestResponse else {
            // On the cooperative pool: the event loop has other connections, too.
            async let sent: Void = write(response, on: channel, requests)
            return try await sent
        }
        try await write(response, on: channel, requests)
    }

    private func write(
        _ response: Response,
        on channel: any Channel,
        _ requests: NIOLoopBound<DirectRequests>
    ) async throws {
        let writer = DirectWriter(channel: channel, requests: requests, length: response.body.contentLength)
        try await writer.begin(response.head)
        try await response.body.write(writer)
    }
}

/// Writes a response to its connection: in one piece if the body is one, else through the pipeline.
private struct DirectWriter: ResponseBodyWriter {
    let channel: any Channel
    let requests: NIOLoopBound<DirectRequests>
    /// The length of the body; `nil` if it is unknown.
    let length: Int?
    /// The whole body, until its end.
    private var whole: ByteBuffer?

    init(channel: any Channel, requests: NIOLoopBound<DirectRequests>, length: Int?) {
        self.channel = channel
        self.requests = requests
        self.length = length
    }

    /// Writes the head, which waits for a short body (``HeadHandler``).
    func begin(_ head: HTTPResponse) async throws {
        guard let length, length <= HeadHandler.longest else {
            return try await channel.writeAndFlush(HTTPResponsePart.head(head))
        }
        onEventLoop { [requests] in requests.value.begin(head) }
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        if buffer.readableBytes == length, whole == nil {
            whole = buffer
        } else {
            try await channel.writeAndFlush(HTTPResponsePart.body(buffer))
        }
    }

    consuming func finish(_ trailers: HTTPFields?) async throws {
        guard let whole, trailers == nil else {
            if let whole { try await channel.writeAndFlush(HTTPResponsePart.body(whole)) }
            return try await channel.writeAndFlush(HTTPResponsePart.end(trailers))
        }
        let sent = channel.eventLoop.makePromise(of: Void.self)
        onEventLoop { [requests] in requests.value.finish(whole, sent) }
        try await sent.futureResult.get()
    }

    private func onEventLoop(_ body: @escaping @Sendable () -> Void) {
        if channel.eventLoop.inEventLoop { body() } else { channel.eventLoop.execute(body) }
    }
}
