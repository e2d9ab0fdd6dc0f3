internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `/censorship`: the review list, the state, the settings, the log and the scores, for the master key
/// (docs/censorship.md).
struct CensorshipRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("censorship", use: list)
        callers.get("censorship/status", use: status)
        callers.get("censorship/settings", use: settings)
        callers.put("censorship/settings", use: change)
        callers.get("censorship/log", use: log)
        callers.get("censorship/scores", use: scores)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        try context.caller.requireMasterKey()
        let parameters = try ObjectParameters(request)
        let verdict = try parameters.text("verdict").map { text in
            guard let verdict = Verdict(rawValue: text) else {
                throw ServiceError(.badRequest, "verdict must be pending, passed, review or rejected.")
            }
            return verdict
        }
        let (from, to) = (try parameters.time("from"), try parameters.time("to"))
        try CensorRange.check(from, to)
        let listing = try await service.files(
            with: verdict,
            from: from,
            to: to,
            limit: try parameters.pageLimit(),
            cursor: parameters.text("cursor"),
            as: context.caller
        )
        return JSONValue.object(listing.members).response()
    }

    @Sendable private func status(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        return JSONValue.object(try await service.status(as: context.caller)).response()
    }

    @Sendable private func settings(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        return JSONValue.object(try service.settings(as: context.caller).members).response()
    }

    @Sendable private func change(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        try context.caller.requireMasterKey()
        return try await bodies.json(of: request, context) { json in
            let body = try CensorBody(json)
            var given = body.members
            given["by"] = nil
            let settings = try await service.change(given, by: try body.name(), as: context.caller)
            return JSONValue.object(settings.members).response()
        }
    }

    @Sendable private func log(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        try context.caller.requireMasterKey()
        let parameters = try ObjectParameters(request)
        let listing = try await service.log(
            limit: try parameters.pageLimit(),
            cursor: parameters.text("cursor"),
            as: context.caller
        )
        return JSONValue.object(listing.members).response()
    }

    @Sendable private func scores(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        try context.caller.requireMasterKey()
        let parameters = try ObjectParameters(request)
        let (counts, cursor) = try await service.scores(
            named: parameters.text("name") ?? ClassifierChecker.score,
            after: try parameters.cursor(),
            as: context.caller
        )
        var members: [String: JSONValue] = ["results": .array(counts.members)]
        members["cursor"] = cursor.map { .string($0.description) }
        return JSONValue.object(members).response()
    }
}
