internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// `GET /client`: as whom the server sees the client of the request, for the master key; `lcfile doctor` examines the
/// way through a reverse proxy with it.
struct ClientRoute: Sendable {
    /// Adds the route behind the authentication.
    func add(to router: RouterGroup<APIContext>) {
        router.get("client", use: show)
    }

    @Sendable private func show(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let caller = context.caller else { throw ServiceError(.unauthorized, "Unauthorized.") }
        try caller.requireMasterKey()
        let connection = context.channel.remoteAddress.map(RequestClient.peer) ?? .unknown
        let members: [String: JSONValue] = [
            "address": .string("\(context.client)"), "connection": .string("\(connection)"),
            "isTrustedProxy": .bool(context.forwardedClient != nil),
        ]
        return JSONValue.object(members).response()
    }
}
