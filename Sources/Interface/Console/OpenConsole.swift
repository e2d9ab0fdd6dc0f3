internal import Domain
internal import HTTPTypes
internal import HummingbirdCore

/// A session of the console with what a request of it needs.
struct OpenConsole: Sendable {
    let app: AppID
    let token: ConsoleToken
    let session: ConsoleSession
    let service: ConsoleService

    /// Refuses a request that does not come from the site.
    ///
    /// - Throws: ``ServiceError/Code/forbidden``.
    func requireToken(_ request: Request) throws {
        guard !ConsoleGate.isForeign(request), token.csrf.matches(request.headers[.consoleToken] ?? "") else {
            throw ServiceError(.forbidden, "The call does not belong to this session of the console.")
        }
    }

    /// What the site knows of its session.
    var json: JSONValue {
        .object([
            "app": .string(app.description), "readOnly": .bool(session.isReadOnly),
            "session": .string(session.id.description), "token": .string(token.csrf.revealed),
            "expiresAt": .string(session.expiresAt.iso8601),
        ])
    }
}
