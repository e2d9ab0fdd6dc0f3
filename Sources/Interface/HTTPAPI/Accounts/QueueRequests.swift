internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// The calls by which the master key lists a queue of mails or SMS and sends dead letters again (docs/accounts.md).
struct QueueRequests<Work: DeliveryWork>: Sendable {
    let bodies: RequestBodies
    /// The error of a server that sends no such messages.
    let off: ServiceError
    /// The message for the operator.
    let members: @Sendable (Work.Message) -> [String: JSONValue]

    /// The maximum number of messages in a list, or of ids to try again.
    private static var listLimit: Int { 1000 }

    /// The part of a list that a request asks for.
    static func page(_ parameters: ObjectParameters) throws -> Page {
        let limit = try parameters.number("limit") ?? 100
        guard (1...listLimit).contains(limit) else {
            throw ServiceError(.badRequest, "limit must be from 1 to \(listLimit).")
        }
        return try Page(limit: limit, skip: try parameters.number("skip"))
    }

    func list(
        _ queue: DeliveryQueue<Work>?,
        _ request: Request,
        _ context: CallerContext
    ) async throws -> Response {
        try context.caller.requireMasterKey()
        let parameters = try ObjectParameters(request)
        let name = parameters.text("state") ?? DeliveryTurn.State.waiting.rawValue
        guard let state = DeliveryTurn.State(rawValue: name) else {
            throw ServiceError(.badRequest, "state must be waiting or dead.")
        }
        let page = try QueueRequests.page(parameters)
        let messages = try await queue?.messages(state, page, as: context.caller) ?? []
        return JSONValue.object(["results": .array(messages.map { .object(all($0)) })]).response()
    }

    func retry(
        _ queue: DeliveryQueue<Work>?,
        _ request: Request,
        _ context: CallerContext
    ) async throws -> Response {
        try context.caller.requireMasterKey()
        guard let queue else { throw off }
        return try await bodies.json(of: request, context) { body in
            let members = body.objectValue ?? [:]
            var ids: [ObjectID]?
            if members["all"] != .bool(true) {
                let list = members["ids"]?.arrayValue
                let parsed = list?.compactMap { $0.stringValue.flatMap(ObjectID.init) }
                let limit = QueueRequests.listLimit
                guard let list, let parsed, parsed.count == list.count, (1...limit).contains(list.count) else {
                    throw ServiceError(
                        .badRequest,
                        "ids must be a list of 1 to \(limit) ids of messages; or all must be true."
                    )
                }
                ids = parsed
            }
            let count = try await queue.retry(ids, as: context.caller)
            return JSONValue.object(["count": .integer(Int64(count))]).response()
        }
    }

    private func all(_ message: Work.Message) -> [String: JSONValue] {
        var members = members(message)
        members["objectId"] = .string(message.id.description)
        members["createdAt"] = .string(message.createdAt.iso8601)
        members["state"] = .string(message.state.rawValue)
        members["attempts"] = .integer(Int64(message.attempts))
        members["dueAt"] = .string(message.due.iso8601)
        members["failure"] = message.failure.map(JSONValue.string)
        return members
    }
}
