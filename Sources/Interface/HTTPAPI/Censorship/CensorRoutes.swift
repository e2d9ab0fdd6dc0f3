internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `/files/<objectId>/censor`: the verdict about one file, for the master key (protocol/files 8, docs/censorship.md).
struct CensorRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("files/:file/censor", use: check)
        callers.put("files/:file/censor", use: decide)
        callers.get("files/:file/censor", use: state)
        callers.delete("files/:file/censor", use: takeBack)
    }

    /// SDKs send an empty object, which means nothing.
    @Sendable private func check(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        let verdict = try await service.check(try file(context), as: context.caller)
        return JSONValue.object(["censorResult": .string(verdict.rawValue)]).response()
    }

    @Sendable private func decide(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        try context.caller.requireMasterKey()
        let id = try file(context)
        return try await bodies.json(of: request, context) { json in
            let body = try CensorBody(json)
            let verdict = body.text("verdict").flatMap(Verdict.init)
            guard let verdict, [.passed, .rejected].contains(verdict) else {
                throw ServiceError(.badRequest, "verdict must be passed or rejected.")
            }
            let file = try await service.decide(
                verdict,
                about: id,
                note: try body.text("note", limit: 1000),
                by: try body.name(),
                as: context.caller
            )
            return JSONValue.object(file.members).response()
        }
    }

    @Sendable private func takeBack(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        let id = try file(context)
        return try await bodies.json(of: request, context) { json in
            let file = try await service.takeBack(id, by: try CensorBody(json).name(), as: context.caller)
            return JSONValue.object(file.members).response()
        }
    }

    @Sendable private func state(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        return JSONValue.object(try await service.state(of: try file(context), as: context.caller).members).response()
    }

    private func file(_ context: CallerContext) throws -> ObjectID {
        try context.caller.requireMasterKey()
        guard let id = ObjectID(try context.parameters.require("file")) else {
            throw ServiceError(.objectNotFound, "File not found.")
        }
        return id
    }
}
