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
            for group in items.groups {
                try await items.withItems(of: group) { items in
                    let commands = items.map { item in
                        Result { try command(try BatchItem(try item.get()), in: app) }
                    }
                    let replies = try await app.objects.perform(commands, in: &batch, as: context.caller)
                    for (command, reply) in zip(commands, replies) { answers.append(reply, to: command) }
                }
            }
            return answers.json().response()
        }
    }

    /// Refuses a batch of many groups as a whole, before its first group, if it sets too many passwords.
    private func requireFewPasswords(in items: BatchBody, _ app: AppServices) throws {
        var batch = ObjectBatch()
        for item in items.itemsOfUsers {
            try batch.countPasswords(in: [Result { try command(try BatchItem(try items.item(at: item)), in: app) }])
        }
    }

    private func command(_ item: BatchItem, in app: AppServices) throws -> ObjectCommand {
        try item.requireNoCopy()
        return try app.decoder.command(item.method, item.path, item.parameters, body: item.body)
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
        guard ["POST", "PUT"].contains(item.method), item.path.ids.count <= 1 else {
            throw ServiceError(.badRequest, "batch/save takes POST and PUT only.")
        }
        return try SaveItem(
            className: item.path.className,
            id: item.path.ids.first,
            creates: item.method == "POST",
            body: item.body == .null ? .object([:]) : item.body,
            where: try item.parameters.condition(app.decoder.limits, app.decoder.engine),
            returnsObject: item.parameters.returnsObject,
            mustExist: item.parameters.flag("failOnNotExist")
        )
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

    mutating func append(_ reply: Result<ObjectReply, any Error>, to command: Result<ObjectCommand, any Error>) {
        if text.readableBytes > 1 { text.writeStaticString(",") }
        do {
            let reply = try reply.get()
            // The result of a read can be large, and the client can repeat the read. The response to a change is small,
            // and must be sent because the change is committed.
            if reply.size > BatchAnswers.small, (try? command.get().isRead) == true {
                try share.grow(by: reply.size)
            }
            text.writeStaticString(#"{"success":"#)
            // A missing object is null here (protocol/data 2.1).
            if case .missing = reply.content { text.writeStaticString("null") } else { text.write(reply) }
            text.writeStaticString("}")
        } catch {
            text.write(["error": ErrorRenderer.json(of: error, logger: logger)])
        }
    }

    /// The size in bytes up to which the memory of a response is already counted.
    private static let small = 1 << 10
}

/// One request of a batch, checked for its form.
private struct BatchItem {
    let method: String
    let path: ObjectPath
    let parameters: ObjectParameters
    let body: JSONValue

    /// Swift sends methods in lower case; paths can begin with `/1.1`.
    init(_ json: JSONValue) throws {
        guard let members = json.objectValue, let path = members["path"]?.stringValue else {
            throw ServiceError(.malformedJSON, "A request of a batch must have method and path.")
        }
        method = members["method"]?.stringValue?.uppercased() ?? ""
        let parts = path.split(separator: "?", maxSplits: 1)
        var segments = (parts.first ?? "").split(separator: "/").compactMap(\.decodedSegment)
        if ["1.1", "1"].contains(segments.first) { segments.removeFirst() }
        self.path = try ObjectPath(segments)
        if let params = members["params"]?.objectValue {
            parameters = ObjectParameters(json: params)
        } else {
            parameters = try ObjectParameters(query: parts.count > 1 ? String(parts[1]) : nil)
        }
        body = members["body"] ?? .null
    }

    /// Throws if the request would copy a file from another server, which can take long.
    func requireNoCopy() throws {
        guard path.className != .file || !RemoteFile.isCopy(body) else {
            throw ServiceError(.badRequest, "fetch is not allowed in a batch; send a separate request.")
        }
    }
}
