internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// Requests for mails, and the mail queue for the master key (protocol/data 6.4, docs/accounts.md).
struct MailRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("requestEmailVerify") { try await send(.verify, $0, $1) }
        callers.post("requestPasswordReset") { try await send(.reset, $0, $1) }
        callers.get("mails") { try await requests.list(queue(of: $1), $0, $1) }
        callers.post("mails/retry") { try await requests.retry(queue(of: $1), $0, $1) }
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

    private func queue(of context: CallerContext) throws -> MailQueue? {
        try apps.services(of: context.caller).mails
    }

    private var requests: QueueRequests<MailWork> {
        QueueRequests(
            bodies: bodies,
            off: ServiceError(.notAvailable, "This server sends no mails: the setting mail.server is missing.")
        ) { mail in
            ["purpose": .string(mail.purpose.rawValue), "to": .string(mail.to)]
        }
    }
}
