internal import Domain
internal import HTTPTypes
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
        for (method, path) in AccountRoutes.later { callers.on("\(path)", method: method, use: refuse) }
    }

    /// Logs in with fields from the body or the query string (protocol/data 6.2).
    @Sendable private func logIn(_ request: Request, _ context: CallerContext) async throws -> Response {
        let accounts = try accounts(context)
        guard request.method != .get else {
            return try await LoginMetrics.counting {
                try await accounts.logIn(ObjectParameters(request).body, as: context.caller).json.response()
            }
        }
        return try await bodies.json(of: request, context) { body in
            try await LoginMetrics.counting {
                try await accounts.logIn(members(of: body), as: context.caller).json.response()
            }
        }
    }

    /// Does nothing: the client discards its token, and on LeanCloud other devices use the same token.
    @Sendable private func logOut(_ request: Request, _ context: CallerContext) -> Response {
        JSONValue.object([:]).response()
    }

    @Sendable private func me(_ request: Request, _ context: CallerContext) async throws -> Response {
        let token = try ObjectParameters(request).text("session_token") ?? request.sessionToken ?? ""
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

    @Sendable private func refuse(_ request: Request, _ context: CallerContext) throws -> Response {
        throw ServiceError(.notAvailable, "SMS codes and captchas are not available on this server yet.")
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

    /// Routes that need SMS (protocol/data 6.4); ``MailRoutes`` has those that need mails.
    private static let later: [(HTTPRequest.Method, String)] = [
        (.post, "requestSmsCode"), (.post, "verifySmsCode/:code"), (.post, "requestMobilePhoneVerify"),
        (.post, "verifyMobilePhone/:code"),
        (.post, "requestLoginSmsCode"), (.post, "usersByMobilePhone"), (.post, "requestPasswordResetBySmsCode"),
        (.put, "resetPasswordBySmsCode/:code"), (.post, "resetPasswordBySmsCode/:code"),
        (.post, "requestChangePhoneNumber"), (.post, "changePhoneNumber"), (.get, "requestCaptcha"),
        (.post, "verifyCaptcha"),
    ]
}
