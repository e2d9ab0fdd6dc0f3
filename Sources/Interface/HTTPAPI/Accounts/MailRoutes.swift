internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// Requests for mails, and the mail queue for the master key (protocol/data 6.4, docs/accounts.md).
struct MailRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    /// The maximum number of mails in a list, or of ids to try again.
    private static let listLimit = 1000

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("requestEmailVerify") { try await send(.verify, $0, $1) }
        callers.post("requestPasswordReset") { try await send(.reset, $0, $1) }
        callers.get("mails", use: list)
        callers.post("mails/retry", use: retry)
    }

    private func send(_ purpose: MailPurpose, _ request: Request, _ context: CallerContext) async throws -> Response {
        let links = try apps.services(of: context.caller).links
        return try await bodies.json(of: request, context) { body in
            guard let members = body.objectValue else {
                throw ServiceError(.malformedJSON, "The body must be a JSON object.")
            }
            try await links.send(purpose, members, as: context.caller)
            return JSONValue.object([:]).response()
        }
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        try context.caller.requireMasterKey()
        let parameters = try ObjectParameters(request)
        let name = parameters.text("state") ?? QueuedMail.State.waiting.rawValue
        guard let state = QueuedMail.State(rawValue: name) else {
            throw ServiceError(.badRequest, "state must be waiting or dead.")
        }
        let limit = try parameters.number("limit") ?? 100
        guard (1...MailRoutes.listLimit).contains(limit) else {
            throw ServiceError(.badRequest, "limit must be from 1 to \(MailRoutes.listLimit).")
        }
        let page = try Page(limit: limit, skip: try parameters.number("skip"))
        let mails = try await queue(of: context)?.mails(state, page, as: context.caller) ?? []
        return JSONValue.object(["results": .array(mails.map { .object($0.members) })]).response()
    }

    @Sendable private func retry(_ request: Request, _ context: CallerContext) async throws -> Response {
        try context.caller.requireMasterKey()
        guard let queue = try queue(of: context) else { throw MailRoutes.off }
        return try await bodies.json(of: request, context) { body in
            let members = body.objectValue ?? [:]
            var ids: [ObjectID]?
            if members["all"] != .bool(true) {
                let list = members["ids"]?.arrayValue
                let parsed = list?.compactMap { $0.stringValue.flatMap(ObjectID.init) }
                guard let list, let parsed, parsed.count == list.count, (1...MailRoutes.listLimit).contains(list.count)
                else {
                    throw ServiceError(
                        .badRequest,
                        "ids must be a list of 1 to \(MailRoutes.listLimit) ids of mails; or all must be true."
                    )
                }
                ids = parsed
            }
            let count = try await queue.retry(ids, as: context.caller)
            return JSONValue.object(["count": .integer(Int64(count))]).response()
        }
    }

    private func queue(of context: CallerContext) throws -> MailQueue? {
        try apps.services(of: context.caller).mails
    }

    private static let off = ServiceError(
        .notAvailable,
        "This server sends no mails: the setting mail.server is missing."
    )
}

extension QueuedMail {
    /// The mail for the operator.
    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "objectId": .string(id.description), "createdAt": .string(createdAt.iso8601),
            "state": .string(state.rawValue), "purpose": .string(purpose.rawValue), "to": .string(to),
            "attempts": .integer(Int64(attempts)), "dueAt": .string(due.iso8601),
        ]
        members["failure"] = failure.map(JSONValue.string)
        return members
    }
}
