internal import Domain
internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// The responses of a batch, appended to one text.
struct BatchAnswers {
    let share: BodyMemory.Share
    let logger: Logger
    private var text = ByteBuffer(string: "[")
    /// The bytes of replies that count in the share.
    private var counted = 0

    init(share: BodyMemory.Share, logger: Logger) {
        self.share = share
        self.logger = logger
    }

    /// The response of the batch on a connection's event loop, after all its responses were appended.
    consuming func response(on eventLoop: any EventLoop) -> Response {
        text.writeStaticString("]")
        return RawJSON(text).response(holding: share.split(counted), on: eventLoop)
    }

    /// The response of a `batch/save` on a connection's event loop.
    static func response(
        with replies: SaveReplies,
        _ share: BodyMemory.Share,
        on eventLoop: any EventLoop
    ) -> Response {
        let size = replies.size
        var text = ByteBuffer()
        guard size > small else {
            text.write(replies)
            return RawJSON(text).response()
        }
        let hasMemory = share.tryGrow(by: size)
        text.write(hasMemory ? replies : replies.brief)
        return RawJSON(text).response(holding: share.split(hasMemory ? size : 0), on: eventLoop)
    }

    /// Appends the response to a request: of an INSERT of several rows the first error, or the results of all rows.
    mutating func append(_ replies: [Result<ObjectReply, any Error>], to request: Result<BatchRequest, any Error>) {
        if text.readableBytes > 1 { text.writeStaticString(",") }
        do {
            var replies = try replies.map { try $0.get() }
            let request = try request.get()
            let size = replies.reduce(0) { $0 + $1.size }
            // The client can repeat a read. A change is committed, so its response is not refused: without memory for
            // the object, it has the id and the times.
            if size > BatchAnswers.small {
                if request.isRead {
                    try share.grow(by: size, orThrow: BatchAnswers.tooLarge)
                    counted += size
                } else if share.tryGrow(by: size) {
                    counted += size
                } else {
                    replies = replies.map(\.brief)
                }
            }
            let reply = try request.statementClass.map { try CQLReply(className: $0, replies) }
            text.writeStaticString(#"{"success":"#)
            if let reply { text.write(reply) } else { for reply in replies { append(reply) } }
            text.writeStaticString("}")
        } catch {
            text.write(["error": ErrorRenderer.json(of: error, logger: logger)])
        }
    }

    /// Appends the response to a query that runs alone, or its error.
    mutating func append(awaiting query: () async throws -> RawJSON) async {
        do {
            let reply = try await query().text
            try share.grow(by: reply.readableBytes, orThrow: BatchAnswers.tooLarge)
            counted += reply.readableBytes
            text.writeStaticString(#"{"success":"#)
            text.writeImmutableBuffer(reply)
            text.writeStaticString("}")
        } catch {
            text.write(["error": ErrorRenderer.json(of: error, logger: logger)])
        }
    }

    private mutating func append(_ reply: ObjectReply) {
        // A missing object is null here (protocol/data 2.1).
        if case .missing = reply.content { text.writeStaticString("null") } else { text.write(reply) }
    }

    /// The size in bytes up to which the memory of a response is already counted.
    private static let small = 1 << 10

    /// The error for a reply with which the batch exceeds the memory of its caller; the body is not the cause.
    private static let tooLarge = ServiceError(
        .badRequest,
        "The replies of the batch take more memory than one request of the caller can have (http.bodyMemory); request "
            + "fewer objects at once."
    )
}
