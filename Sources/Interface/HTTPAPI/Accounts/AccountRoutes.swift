internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// Log-ins, passwords and sessions (protocol/data 6.2 to 6.4); ``ObjectRoutes`` handles users as objects.
struct AccountRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("login", use: logIn)
        callers.get("login", use: logIn)
        callers.post("logout", use: logOut)
        callers.get("users/me", use: me)
        callers.put("users/:id/refreshSessionToken", use: refresh)
        callers.put("users/:id/updatePassword", use: changePassword)
        callers.delete("users/:id/sessions", use: endSessions)
    }

    /// Logs in with fields from the body or the query string (protocol/data 6.2).
    @Sendable private func logIn(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        guard request.method != .get else {
            return try await logIn(ObjectParameters(request).body, app, context.caller)
        }
        return try await bodies.json(of: request, context) { body in
            try await logIn(members(of: body), app, context.caller)
        }
    }

    private func logIn(_ body: [String: JSONValue], _ app: AppServices, _ caller: Caller) async throws -> Response {
        try await LoginMetrics.counting {
            guard ![nil, .null].contains(body["smsCode"]) else {
                return try await app.accounts.logIn(body, as: caller).json.response()
            }
            guard let codes = app.codes else { throw SMSPolicy.off }
            return try await codes.logIn(body, as: caller).json.response()
        }
    }

    /// Does nothing: the client discards its token, and on LeanCloud other devices use the same token.
    @Sendable private func logOut(_ request: Request, _ context: CallerContext) -> Response {
        JSONValue.object([:]).response()
    }

    @Sendable private func me(_ request: Request, _ context: CallerContext) async throws -> Response {
        let token = try ObjectParameters(request).text("session_token") ?? request.headers.sessionToken ?? ""
        return try await accounts(context).user(showing: token, as: context.caller).json.response()
    }

    @Sendable private func refresh(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try userID(context)
        return try await accounts(context).refreshSession(of: id, as: context.caller).json.response()
    }

    @Sendable private func changePassword(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (id, accounts) = (try userID(context), try accounts(context))
        return try await bodies.json(of: request, context) { body in
            let members = try members(of: body)
            return try await accounts.changePassword(of: id, members, as: context.caller).json.response()
        }
    }

    @Sendable private func endSessions(_ request: Request, _ context: CallerContext) async throws -> Response {
        try context.caller.requireMasterKey()
        let count = try await accounts(context).endSessions(of: userID(context), as: context.caller)
        return JSONValue.object(["ended": .integer(Int64(count))]).response()
    }

    private func accounts(_ context: CallerContext) throws -> AccountService {
        try apps.services(of: context.caller).accounts
    }

    private func members(of body: JSONValue) throws -> [String: JSONValue] {
        guard let members = body.objectValue else {
            throw ServiceError(.malformedJSON, "The body must be a JSON object.")
        }
        return members
    }

    private func userID(_ context: CallerContext) throws -> ObjectID {
        guard let id = ObjectID(try context.parameters.require("id")) else {
            throw ServiceError(.userNotFound, "Could not find user.")
        }
        return id
    }
}
