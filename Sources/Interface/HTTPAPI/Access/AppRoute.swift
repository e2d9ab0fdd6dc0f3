internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// `GET /app`: what an SDK needs to reach the app, for the master key.
struct AppRoute: Sendable {
    let authenticator: Authenticator
    let publicURL: String

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("app", use: show)
    }

    @Sendable private func show(_ request: Request, _ context: CallerContext) async throws -> Response {
        try context.caller.requireMasterKey()
        var members: [String: JSONValue] = [
            "appId": .string(context.caller.app.description), "serverURL": .string(publicURL),
        ]
        members["appKey"] = authenticator.appKey(of: context.caller.app).map { .string($0.revealed) }
        return JSONValue.object(members).response()
    }
}
