internal import Domain
internal import Logging
internal import NIOCore

/// The responses of a batch, appended to one text.
struct BatchAnswers {
    let share: BodyMemory.Share
    let logger: Logger
    private var text = ByteBuffer(string: "[")

    init(share: BodyMemory.Share, logger: Logger) {
        self.share = share
        self.logger = logger
    }

    /// The response of the batch, after all its responses were appended.
    consuming func json() -> RawJSON {
        text.writeStaticString("]")
        return RawJSON(text)
    }

    /// Appends the response to a request: of an INSERT of several rows the first error, or the results of all rows.
    mutating func append(_ replies: [Result<ObjectReply, any Error>], to request: Result<BatchRequest, any Error>) {
        if text.readableBytes > 1 { text.writeStaticString(",") }
        do {
            let replies = try replies.map { try $0.get() }
            let request = try request.get()
            let size = replies.reduce(0) { $0 + $1.size }
            // The result of a read can be large, and the client can repeat the read. The response to a change is small,
            // and must be sent because the change is committed.
            if size > BatchAnswers.small, request.isRead { try share.grow(by: size, orThrow: BatchAnswers.tooLarge) }
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
