internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Requests for codes by SMS, what the codes are for, and the SMS queue for the master key (protocol/data 6.4,
/// docs/accounts.md).
struct SMSRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        addRequests(to: callers)
        addUses(to: callers)
        callers.get("sms", use: list)
        callers.post("sms/retry") { try await requests.retry(app($1).sms, $0, $1) }
    }

    private func addRequests(to callers: RouterGroup<CallerContext>) {
        add("requestSmsCode", to: callers) { codes, body, caller in
            try await codes.sendCode(body, as: caller)
        }
        let purposes: [(String, SMSPurpose)] = [
            ("requestMobilePhoneVerify", .verifyPhone), ("requestLoginSmsCode", .logIn),
            ("requestPasswordResetBySmsCode", .resetPassword),
        ]
        for (path, purpose) in purposes {
            add(path, to: callers) { codes, body, caller in
                try await codes.sendCode(for: purpose, body, as: caller)
            }
        }
        add("requestChangePhoneNumber", to: callers) { codes, body, caller in
            try await codes.sendChangeCode(body, as: caller)
        }
    }

    private func addUses(to callers: RouterGroup<CallerContext>) {
        callers.post("verifySmsCode/:code") { request, context in
            // PHP's SDK sends the number in the query string without escaping its `+`.
            try await use(request, context, readsSpaceAsPlus: true) { codes, code, body in
                try await codes.verify(code, body, as: context.caller)
                return JSONValue.object([:]).response()
            }
        }
        callers.post("verifyMobilePhone/:code") { request, context in
            try await use(request, context) { codes, code, body in
                try await codes.verifyPhone(code, body, as: context.caller).json.response()
            }
        }
        // Go's SDK posts (protocol/data 6.4).
        for method in [HTTPRequest.Method.put, .post] {
            callers.on("resetPasswordBySmsCode/:code", method: method) { request, context in
                try await use(request, context) { codes, code, body in
                    try await codes.resetPassword(code, body, as: context.caller)
                    return JSONValue.object([:]).response()
                }
            }
        }
        callers.post("changePhoneNumber") { request, context in
            let codes = try codes(context)
            return try await members(of: request, context) { body in
                try await codes.changePhone(body, as: context.caller).json.response()
            }
        }
        callers.post("usersByMobilePhone", use: signUpOrLogIn)
    }

    @Sendable private func signUpOrLogIn(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (codes, objects) = (try codes(context), try app(context).objects)
        return try await members(of: request, context) { body in
            try await LoginMetrics.counting {
                try await codes.signUpOrLogIn(body, as: context.caller, preparedBy: objects).response
            }
        }
    }

    /// The waiting messages, the dead letters or the codes that are valid.
    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try app(context)
        let parameters = try ObjectParameters(request)
        guard parameters.text("state") == "codes" else { return try await requests.list(app.sms, request, context) }
        try context.caller.requireMasterKey()
        let page = try QueueRequests<SMSWork>.page(parameters)
        let codes = try await app.codes?.list(page, as: context.caller) ?? []
        return JSONValue.object(["results": .array(codes.map { .object($0.members) })]).response()
    }

    private func add(
        _ path: String,
        to callers: RouterGroup<CallerContext>,
        _ send: @escaping @Sendable (SMSCodeService, [String: JSONValue], Caller) async throws -> Void
    ) {
        callers.post(RouterPath(path)) { request, context in
            let codes = try codes(context)
            return try await members(of: request, context) { body in
                try await send(codes, body, context.caller)
                return JSONValue.object([:]).response()
            }
        }
    }

    /// Runs a call with the code in its path; the number can be in the query string, too.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Its context.
    ///   - readsSpaceAsPlus: Whether a space at the beginning of a number in the query string is a `+` that was not
    ///     escaped.
    ///   - body: The call with the code and the members of the query string and of the body.
    /// - Returns: The response of the call.
    /// - Throws: Errors of the call.
    private func use(
        _ request: Request,
        _ context: CallerContext,
        readsSpaceAsPlus: Bool = false,
        _ body: @escaping @Sendable (SMSCodeService, String, [String: JSONValue]) async throws -> Response
    ) async throws -> Response {
        let (codes, code) = (try codes(context), try context.parameters.require("code"))
        var query = try ObjectParameters(request).body
        let number = query["mobilePhoneNumber"]?.stringValue
        if readsSpaceAsPlus, let number, number.hasPrefix(" ") {
            query["mobilePhoneNumber"] = .string("+\(number.dropFirst())")
        }
        return try await members(of: request, context) { [query] members in
            try await body(codes, code, query.merging(members) { $1 })
        }
    }

    private func members(
        of request: Request,
        _ context: CallerContext,
        _ body: @escaping @Sendable ([String: JSONValue]) async throws -> Response
    ) async throws -> Response {
        try await bodies.json(of: request, context) { json in
            // Older SDKs send no body with a code.
            guard let members = json == .null ? [:] : json.objectValue else {
                throw ServiceError(.malformedJSON, "The body must be a JSON object.")
            }
            return try await body(members)
        }
    }

    private func codes(_ context: CallerContext) throws -> SMSCodeService {
        guard let codes = try app(context).codes else { throw SMSPolicy.off }
        return codes
    }

    private func app(_ context: CallerContext) throws -> AppServices {
        try apps.services(of: context.caller)
    }

    private var requests: QueueRequests<SMSWork> {
        QueueRequests(bodies: bodies, off: SMSPolicy.off) { sms in
            [
                "purpose": .string(sms.purpose.rawValue), "to": .string(sms.number.description),
                "template": .string(sms.template),
            ]
        }
    }
}

extension SMSCodeService.ListedCode {
    /// The code for the operator.
    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "objectId": .string(row.id.description), "createdAt": .string(row.createdAt.iso8601),
            "purpose": .string(row.purpose.rawValue), "to": .string(row.number.description),
            "tries": .integer(Int64(row.tries)), "expiresAt": .string(row.expiresAt.iso8601),
        ]
        members["code"] = code.map { .string($0.revealed) }
        return members
    }
}
