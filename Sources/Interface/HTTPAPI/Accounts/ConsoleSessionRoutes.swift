internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// Lists and ends the sessions of the console, for the master key (docs/http-api.md).
struct ConsoleSessionRoutes: Sendable {
    let apps: [AppID: AppServices]

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("console/sessions", use: list)
        callers.delete("console/sessions", use: endAll)
        callers.delete("console/sessions/:id", use: end)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let sessions = try await apps.services(of: context.caller).console.sessions(as: context.caller)
        return JSONValue.object(["results": .array(sessions.map(\.json))]).response()
    }

    @Sendable private func endAll(_ request: Request, _ context: CallerContext) async throws -> Response {
        let count = try await apps.services(of: context.caller).console.endAll(as: context.caller)
        return JSONValue.object(["ended": .integer(Int64(count))]).response()
    }

    @Sendable private func end(_ request: Request, _ context: CallerContext) async throws -> Response {
        guard let id = ObjectID(try context.parameters.require("id")) else {
            throw ServiceError(.objectNotFound, "There is no such session of the console.")
        }
        try await apps.services(of: context.caller).console.end(id, as: context.caller)
        return JSONValue.object([:]).response()
    }
}
