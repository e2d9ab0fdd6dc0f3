internal import Domain
internal import Hummingbird
internal import HummingbirdCore
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
            let decoder = app.decoder.forBatch()
            if items.groups.count > 1 { try requireLittleAccountWork(in: items, decoder, app, context.caller) }
            var batch = ObjectBatch(presence: ClientPresence.Watch(context.channel))
            var answers = BatchAnswers(share: body.share, logger: context.logger)
            var warnings = BatchWarnings()
            if items.count == 1, let item = try? BatchItem(try items.allItems()[0]), let query = item.loneQuery {
                warnings.add(item.parameters)
                await answers.append(awaiting: { try await answer(query, item.parameters, in: app, context) })
                return warnings.added(to: answers.response(on: context.channel.eventLoop))
            }
            // Each row of an INSERT counts as a request.
            var rows = bodies.limits.batchSize - items.count
            for group in items.groups {
                try await items.withItems(of: group) { items in
                    let requests = items.map { item in
                        let item = Result { try BatchItem(try item.get()) }
                        warnings.add(try? item.get().parameters)
                        return Result { try self.request(try item.get(), decoder, rows: &rows) }
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
            return warnings.added(to: answers.response(on: context.channel.eventLoop))
        }
    }

    /// The answer to a query that SDKs send alone in a batch if it is too long for a URL.
    private func answer(
        _ query: LoneQuery,
        _ parameters: ObjectParameters,
        in app: AppServices,
        _ context: CallerContext
    ) async throws -> RawJSON {
        switch query {
        case .inbox: try await FeedRoutes.inbox(parameters, in: app, context).json
        case .searchForFriends: try await FriendshipRoutes.find(.strictly, parameters, in: app, context).json
        case .friends: try await FriendshipRoutes.find(.friends, parameters, in: app, context).json
        case .blockList: try await FriendshipRoutes.find(.blocked, parameters, in: app, context).json
        }
    }

    /// Refuses a batch of many groups as a whole, before its first group, if it sets too many passwords or has too many
    /// platforms to verify.
    private func requireLittleAccountWork(
        in items: BatchBody,
        _ decoder: ObjectRequestDecoder,
        _ app: AppServices,
        _ caller: Caller
    ) throws {
        var batch = ObjectBatch()
        for item in items.itemsOfUsers {
            var rows = bodies.limits.batchSize
            let request = Result { try self.request(try BatchItem(try items.item(at: item)), decoder, rows: &rows) }
            try app.objects.countAccountWork(of: request.commands, in: &batch, by: caller)
        }
    }

    /// The commands of an item.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - decoder: The decoder of the batch.
    ///   - rows: The number of further rows that statements of the batch can insert.
    /// - Returns: The commands: several only for a statement that inserts several rows.
    /// - Throws: The errors of the item's form; ``ServiceError/Code/payloadTooLarge`` for too many rows.
    private func request(
        _ item: BatchItem,
        _ decoder: ObjectRequestDecoder,
        rows: inout Int
    ) throws -> BatchRequest {
        guard item.isStatement else {
            if let call = try FriendshipCall(item.method, item.segments, body: item.body) {
                return BatchRequest(commands: [try call.command()])
            }
            guard item.loneQuery == nil else {
                throw ServiceError(.badRequest, "This query must be the only request of a batch.")
            }
            try item.requireNoCopy()
            try item.requireNoStatus()
            let command = try decoder.command(item.method, try item.path, item.parameters, body: item.body)
            return BatchRequest(commands: [command])
        }
        guard !item.parameters.flag("explain") else {
            throw ServiceError(.badRequest, "explain is not allowed in a batch; send a separate request.")
        }
        let statement = try item.parameters.statement
        let commands = try statement.commands(limits: decoder.limits, engine: decoder.engine)
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
            var warnings = BatchWarnings()
            let decoder = app.decoder.forBatch()
            let saves = try items.allItems().map { json in
                let item = try BatchItem(json)
                warnings.add(item.parameters)
                return try saveItem(item, decoder)
            }
            let replies = try await app.objects.save(
                saves,
                as: context.caller,
                presence: ClientPresence.Watch(context.channel)
            )
            let response = BatchAnswers.response(with: replies, body.share, on: context.channel.eventLoop)
            return warnings.added(to: response)
        }
    }

    private func saveItem(_ item: BatchItem, _ decoder: ObjectRequestDecoder) throws -> SaveItem {
        try item.requireNoCopy()
        try item.requireNoStatus()
        let path = try item.path
        guard ["POST", "PUT"].contains(item.method) else {
            throw ServiceError(.badRequest, "batch/save takes POST and PUT only.")
        }
        // The id of a POST must not be ignored: it would create another object.
        guard path.ids.count <= (item.method == "PUT" ? 1 : 0) else { throw ObjectPath.unknown }
        return try SaveItem(
            className: path.className,
            id: path.ids.first,
            creates: item.method == "POST",
            body: item.body == .null ? .object([:]) : item.body,
            where: try item.parameters.condition(decoder.limits, decoder.engine),
            returnsObject: item.parameters.returnsObject,
            mustExist: item.parameters.flag("failOnNotExist")
        )
    }
}
