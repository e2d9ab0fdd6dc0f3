internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `/censorship/jobs`: bulk runs, for the master key (docs/censorship.md).
struct CensorRunRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("censorship/jobs", use: start)
        callers.get("censorship/jobs", use: all)
        callers.get("censorship/jobs/:run", use: one)
        callers.put("censorship/jobs/:run", use: change)
    }

    @Sendable private func start(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        try context.caller.requireMasterKey()
        return try await bodies.json(of: request, context) { json in
            let body = try CensorBody(json)
            let range = (from: try body.time("from"), to: try body.time("to"))
            try CensorRange.check(range.from, range.to)
            let rechecks: Bool
            switch body.members["recheck"] {
            case nil, .null?: rechecks = false
            case .bool(let flag)?: rechecks = flag
            default: throw ServiceError(.badRequest, "recheck must be true or false.")
            }
            let run = try await service.startRun(
                over: range,
                rechecks: rechecks,
                by: try body.name(),
                as: context.caller
            )
            return JSONValue.object(run.members).response(status: .created)
        }
    }

    @Sendable private func all(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        let runs = try await service.runs(as: context.caller)
        return JSONValue.object(["results": .array(runs.map { .object($0.members) })]).response()
    }

    @Sendable private func one(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        return JSONValue.object(try await service.run(try run(context), as: context.caller).members).response()
    }

    @Sendable private func change(_ request: Request, _ context: CallerContext) async throws -> Response {
        let service = try apps.services(of: context.caller).censorship
        let id = try run(context)
        return try await bodies.json(of: request, context) { json in
            let body = try CensorBody(json)
            let state = body.text("state").flatMap(CensorRun.State.init)
            guard let state, state != .done else {
                throw ServiceError(.badRequest, "state must be cancelled or running.")
            }
            let run = try await service.change(id, to: state, by: try body.name(), as: context.caller)
            return JSONValue.object(run.members).response()
        }
    }

    private func run(_ context: CallerContext) throws -> ObjectID {
        try context.caller.requireMasterKey()
        guard let id = ObjectID(try context.parameters.require("run")) else {
            throw ServiceError(.objectNotFound, "There is no such run.")
        }
        return id
    }
}
