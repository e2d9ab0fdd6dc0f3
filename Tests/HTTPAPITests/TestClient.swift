import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

@testable import HTTPAPI

/// Sends requests to the API's responder, without a socket.
///
/// Hummingbird's own testing library does this too, but brings an HTTP client, HTTP/2 and TLS along: 600 files to
/// compile.
struct TestClient: Sendable {
    private let responder: any HTTPResponder<APIContext>
    private let logger: Logger
    private let afterResponse: @Sendable () async -> Void
    /// The responses that the API has prepared.
    let hotDownloads: HotDownloads?

    init(
        _ responder: any HTTPResponder<APIContext>,
        logger: Logger,
        hotDownloads: HotDownloads? = nil,
        afterResponse: @escaping @Sendable () async -> Void
    ) {
        self.responder = responder
        self.logger = logger
        self.hotDownloads = hotDownloads
        self.afterResponse = afterResponse
    }

    /// Sends one request and waits for the whole response.
    @discardableResult
    func execute(
        uri: String,
        method: HTTPRequest.Method,
        headers: HTTPFields = [:],
        body: ByteBuffer? = nil,
        host: String = "localhost",
        on channel: any Channel = NIOAsyncTestingChannel()
    ) async throws -> TestResponse {
        var head = HTTPRequest(method: method, scheme: "http", authority: host, path: uri, headerFields: headers)
        if let body { head.headerFields[.contentLength] = String(body.readableBytes) }
        // Hummingbird takes a request's id from its logger.
        var logger = logger
        logger[metadataKey: "hb.request.id"] = "\(RequestID())"
        let source = ApplicationRequestContextSource(channel: channel, logger: logger)
        let request = Request(head: head, body: RequestBody(asyncSequence: BodyPieces(body ?? ByteBuffer())))
        let pending = PendingRecord()
        return try await PendingRecord.$current.withValue(pending) {
            let response = try await responder.respond(to: request, context: APIContext(source: source))
            let collector = ResponseCollector()
            try await response.body.write(collector)
            pending.end(isComplete: true)
            await afterResponse()
            return TestResponse(status: response.status, headers: response.headers, body: collector.body)
        }
    }

    /// Sends one request and gives the whole response to a check.
    @discardableResult
    func execute<Value>(
        uri: String,
        method: HTTPRequest.Method,
        headers: HTTPFields = [:],
        body: ByteBuffer? = nil,
        _ check: (TestResponse) async throws -> Value
    ) async throws -> Value {
        try await check(try await execute(uri: uri, method: method, headers: headers, body: body))
    }
}

/// A response with all of its body.
struct TestResponse: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let body: ByteBuffer
}

/// The body of a request in pieces of 32 KiB, as a socket would give it.
private struct BodyPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private var rest: ByteBuffer

    init(_ body: ByteBuffer) {
        rest = body
    }

    func makeAsyncIterator() -> BodyPieces { self }

    mutating func next() async -> ByteBuffer? {
        rest.readableBytes == 0 ? nil : rest.readSlice(length: Swift.min(rest.readableBytes, 32 << 10))
    }
}

/// Collects the body of a response.
private final class ResponseCollector: ResponseBodyWriter, Sendable {
    private let collected = Mutex(ByteBuffer())

    var body: ByteBuffer { collected.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws {
        collected.withLock { _ = $0.writeImmutableBuffer(buffer) }
    }

    func finish(_ trailers: HTTPFields?) async throws {}
}
