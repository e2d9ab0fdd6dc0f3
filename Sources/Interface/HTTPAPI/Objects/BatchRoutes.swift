internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// Several requests in one (protocol/data 2).
struct BatchRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("batch", use: batch)
        callers.post("batch/save", use: save)
    }

    /// `POST /batch`: processes each request separately, in order.
    @Sendable private func batch(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        return try await bodies.text(of: request, context) { body in
            let items = try BatchBody(body, limit: bodies.limits.batchSize)
            if items.groups.count > 1 { try requireFewPasswords(in: items, app) }
            var batch = ObjectBatch(presence: ClientPresence.Watch(context.channel))
            var answers = BatchAnswers(share: body.share, logger: context.logger)
            if items.count == 1, let item = try? BatchItem(try items.allItems()[0]), item.isInbox {
                do {
                    answers.append(try await FeedRoutes.inbox(item.parameters, in: app, context))
                } catch {
                    answers.append(error)
                }
                return answers.json().response()
            }
            // Each row of an INSERT counts as a request.
            var rows = bodies.limits.batchSize - items.count
            for group in items.groups {
                try await items.withItems(of: group) { items in
                    let requests = items.map { item in
                        Result { try self.request(try BatchItem(try item.get()), in: app, rows: &rows) }
                    }
                    var replies = try await app.objects.perform(
                        requests.flatMap(\.commands),
                        in: &batch,
                        as: context.caller
                    )[...]
                    for request in requests {
                        let count = request.commands.count
                        answers.append(Array(replies.prefix(count)), to: request)
                        replies = replies.dropFirst(count)
                    }
                }
            }
            return answers.json().response()
        }
    }

    /// Refuses a batch of many groups as a whole, before its first group, if it sets too many passwords.
    private func requireFewPasswords(in items: BatchBody, _ app: AppServices) throws {
        var batch = ObjectBatch()
        for item in items.itemsOfUsers {
            var rows = bodies.limits.batchSize
            let request = Result { try self.request(try BatchItem(try items.item(at: item)), in: app, rows: &rows) }
            try batch.countPasswords(in: request.commands)
        }
    }

    /// The commands of an item.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - app: The app.
    ///   - rows: The number of further rows that statements of the batch can insert.
    /// - Returns: The commands: several only for a statement that inserts several rows.
    /// - Throws: The errors of the item's form; ``ServiceError/Code/payloadTooLarge`` for too many rows.
    private func request(_ item: BatchItem, in app: AppServices, rows: inout Int) throws -> BatchRequest {
        guard item.isStatement else {
            try item.requireNoCopy()
            let command = try app.decoder.command(item.method, try item.path, item.parameters, body: item.body)
            return BatchRequest(commands: [command])
        }
        guard !item.parameters.flag("explain") else {
            throw ServiceError(.badRequest, "explain is not allowed in a batch; send a separate request.")
        }
        let statement = try item.parameters.statement
        let commands = try statement.commands(limits: app.decoder.limits, engine: app.decoder.engine)
        guard commands.count - 1 <= rows else {
            throw ServiceError(
                .payloadTooLarge,
                "With the rows of its INSERT statements the batch has more than \(bodies.limits.batchSize) requests, "
                    + "the limit (http.maxBatchSize)."
            )
        }
        rows -= commands.count - 1
        return BatchRequest(commands: commands, statementClass: try ClassName(statement.className))
    }

    /// `POST /batch/save`: one transaction, in which objects can point to each other.
    @Sendable private func save(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        return try await bodies.text(of: request, context) { body in
            let items = try BatchBody(body, limit: bodies.limits.batchSize)
            try ObjectService.requireFewSaves(items.count)
            let saves = try items.allItems().map { json in try saveItem(try BatchItem(json), app) }
            return try await app.objects.save(
                saves,
                as: context.caller,
                presence: ClientPresence.Watch(context.channel)
            ).response()
        }
    }

    private func saveItem(_ item: BatchItem, _ app: AppServices) throws -> SaveItem {
        try item.requireNoCopy()
        let path = try item.path
        guard ["POST", "PUT"].contains(item.method), path.ids.count <= 1 else {
            throw ServiceError(.badRequest, "batch/save takes POST and PUT only.")
        }
        return try SaveItem(
            className: path.className,
            id: path.ids.first,
            creates: item.method == "POST",
            body: item.body == .null ? .object([:]) : item.body,
            where: try item.parameters.condition(app.decoder.limits, app.decoder.engine),
            returnsObject: item.parameters.returnsObject,
            mustExist: item.parameters.flag("failOnNotExist")
        )
    }
}

/// The commands of one request of a batch: several only for a CQL statement that inserts several rows.
private struct BatchRequest {
    let commands: [ObjectCommand]
    /// The class of a CQL statement; `nil` for other requests.
    var statementClass: ClassName?

    var isRead: Bool { commands.allSatisfy(\.isRead) }
}

extension Result where Success == BatchRequest {
    /// The commands, or the error in place of one.
    fileprivate var commands: [Result<ObjectCommand, any Error>] {
        do {
            return try get().commands.map { .success($0) }
        } catch {
            return [.failure(error)]
        }
    }
}

/// The responses of a batch, appended to one text.
private struct BatchAnswers {
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
            if size > BatchAnswers.small, request.isRead { try share.grow(by: size) }
            let reply = try request.statementClass.map { try CQLReply(className: $0, replies) }
            text.writeStaticString(#"{"success":"#)
            if let reply { text.write(reply) } else { for reply in replies { append(reply) } }
            text.writeStaticString("}")
        } catch {
            text.write(["error": ErrorRenderer.json(of: error, logger: logger)])
        }
    }

    /// Appends a page of an inbox.
    mutating func append(_ page: InboxReply) {
        text.writeStaticString(#"{"success":"#)
        text.write(page)
        text.writeStaticString("}")
    }

    /// Appends the error of a request.
    mutating func append(_ error: any Error) {
        text.write(["error": ErrorRenderer.json(of: error, logger: logger)])
    }

    private mutating func append(_ reply: ObjectReply) {
        // A missing object is null here (protocol/data 2.1).
        if case .missing = reply.content { text.writeStaticString("null") } else { text.write(reply) }
    }

    /// The size in bytes up to which the memory of a response is already counted.
    private static let small = 1 << 10
}

/// One request of a batch, checked for its form.
private struct BatchItem {
    let method: String
    let parameters: ObjectParameters
    let body: JSONValue
    private let segments: [Substring]

    /// Swift sends methods in lower case; paths can begin with `/1.1`.
    init(_ json: JSONValue) throws {
        guard let members = json.objectValue, let path = members["path"]?.stringValue else {
            throw ServiceError(.malformedJSON, "A request of a batch must have method and path.")
        }
        method = members["method"]?.stringValue?.uppercased() ?? ""
        let parts = path.split(separator: "?", maxSplits: 1)
        var segments = (parts.first ?? "").split(separator: "/").compactMap(\.decodedSegment)
        if ["1.1", "1"].contains(segments.first) { segments.removeFirst() }
        self.segments = segments
        if let params = members["params"]?.objectValue {
            parameters = ObjectParameters(json: params)
        } else {
            parameters = try ObjectParameters(query: parts.count > 1 ? String(parts[1]) : nil)
        }
        body = members["body"] ?? .null
    }

    var path: ObjectPath {
        get throws { try ObjectPath(segments) }
    }

    /// Whether the request is `GET /cloudQuery`: Objective-C sends statements of more than about 4000 bytes in a batch.
    var isStatement: Bool { method == "GET" && segments == ["cloudQuery"] }

    /// Whether the request is a query of an inbox, which SDKs send alone in a batch if it is too long for a URL.
    var isInbox: Bool { method == "GET" && segments == ["subscribe", "statuses"] }

    /// Throws if the request would copy a file from another server, which can take long.
    func requireNoCopy() throws {
        guard try path.className != .file || !RemoteFile.isCopy(body) else {
            throw ServiceError(.badRequest, "fetch is not allowed in a batch; send a separate request.")
        }
    }
}
