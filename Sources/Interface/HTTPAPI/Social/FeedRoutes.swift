internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Statuses and inboxes (protocol/data 9, docs/people.md).
struct FeedRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("statuses", use: publish)
        callers.get("statuses", use: statuses)
        callers.get("statuses/:id", use: status)
        callers.delete("statuses/:id", use: delete)
        callers.get("subscribe/statuses", use: inbox)
        callers.get("subscribe/statuses/count", use: count)
        callers.post("subscribe/statuses/resetUnreadCount", use: resetUnread)
        callers.delete("subscribe/statuses/inbox", use: remove)
    }

    @Sendable private func publish(_ request: Request, _ context: CallerContext) async throws -> Response {
        let feeds = try apps.services(of: context.caller).feeds
        return try await bodies.json(of: request, context) { body in
            guard let members = body.objectValue else {
                throw ServiceError(.malformedJSON, "The body must be a JSON object.")
            }
            let presence = ClientPresence.Watch(context.channel)
            return try await feeds.publish(members, as: context.caller, presence: presence).response
        }
    }

    @Sendable private func statuses(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (app, parameters) = (try apps.services(of: context.caller), try ObjectParameters(request))
        let command = ObjectCommand(.status, .find(try app.decoder.search(parameters)), view: parameters.view)
        let presence = ClientPresence.Watch(context.channel)
        return try await app.objects.perform(command, as: context.caller, presence: presence).json.response()
    }

    @Sendable private func status(_ request: Request, _ context: CallerContext) async throws -> Response {
        let parameters = try ObjectParameters(request)
        let feeds = try apps.services(of: context.caller).feeds
        return try await feeds.status(try id(context), view: parameters.view, as: context.caller).json.response()
    }

    @Sendable private func delete(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let command = ObjectCommand(.status, .delete([try id(context)], where: nil))
        return try await bodies.json(of: request, context) { _ in
            try await app.objects.perform(command, as: context.caller).json.response()
        }
    }

    @Sendable private func inbox(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let parameters = try ObjectParameters(request)
        return try await FeedRoutes.inbox(parameters, in: app, context).json.response()
    }

    /// A page of an inbox; Objective-C and JavaScript send long queries in a batch.
    static func inbox(
        _ parameters: ObjectParameters,
        in app: AppServices,
        _ context: CallerContext
    ) async throws -> InboxReply {
        let search = InboxSearch(
            owner: parameters.json("owner"),
            type: parameters.text("inboxType").map(JSONValue.string),
            since: Int64(try parameters.number("sinceId") ?? 0),
            max: Int64(try parameters.number("maxId") ?? 0),
            // Java sorts by the number; other orders would not be pages.
            isAscending: parameters.text("order") == "messageId",
            condition: try parameters.condition(app.decoder.limits, app.decoder.engine) ?? .always,
            page: try parameters.page,
            counts: parameters.flag("count")
        )
        let presence = ClientPresence.Watch(context.channel)
        return try await app.feeds.inbox(search, view: parameters.view, as: context.caller, presence: presence)
    }

    @Sendable private func count(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (feeds, parameters) = (try apps.services(of: context.caller).feeds, try ObjectParameters(request))
        let counts = try await feeds.counts(
            owner: parameters.json("owner"),
            type: parameters.text("inboxType").map(JSONValue.string),
            as: context.caller
        )
        return JSONValue.object([
            "total": .integer(Int64(counts.total)), "unread": .integer(Int64(counts.unread)),
        ]).response()
    }

    /// The inbox is named in the body, in the query string, or not at all.
    @Sendable private func resetUnread(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (feeds, parameters) = (try apps.services(of: context.caller).feeds, try ObjectParameters(request))
        return try await bodies.json(of: request, context) { body in
            let members = parameters.body.merging(body.objectValue ?? [:]) { _, new in new }
            try await feeds.resetUnread(owner: members["owner"], type: members["inboxType"], as: context.caller)
            return JSONValue.object([:]).response()
        }
    }

    @Sendable private func remove(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (feeds, parameters) = (try apps.services(of: context.caller).feeds, try ObjectParameters(request))
        return try await bodies.json(of: request, context) { body in
            let parameters = ObjectParameters(json: parameters.body.merging(body.objectValue ?? [:]) { _, new in new })
            guard let number = try parameters.number("messageId") else {
                throw ServiceError(.badRequest, "messageId is missing.")
            }
            try await feeds.remove(
                Int64(number),
                owner: parameters.json("owner"),
                type: parameters.text("inboxType").map(JSONValue.string),
                as: context.caller
            )
            return JSONValue.object([:]).response()
        }
    }

    private func id(_ context: CallerContext) throws -> ObjectID {
        guard let id = ObjectID(try context.parameters.require("id")) else {
            throw ServiceError(.objectNotFound, "Class or object doesn't exists.")
        }
        return id
    }
}

extension InboxReply {
    /// The page as the body of a response.
    var json: RawJSON {
        var others: [(name: String, value: JSONValue)] = [("end", .bool(isEnd))]
        if let count { others.append(("count", .integer(Int64(count)))) }
        var text = ByteBuffer()
        text.write(statuses, followedBy: others)
        return RawJSON(text)
    }
}
