internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Where the WebSocket is (protocol/data 8.2), and the answers to requests for it that are no handshake.
struct RealtimeRoutes: Sendable {
    let apps: [AppID: AppServices]
    /// `nil` if the server has no live queries.
    let connections: LiveConnections?
    /// The URL under which clients reach the API, without a slash at its end.
    let publicURL: String

    /// Seconds for which clients remember the answer.
    private static let ttl: Int64 = 3600

    func add(to router: Router<APIContext>) {
        router.get("v1/route", use: route)
        router.get("\(WebSocketHandshake.path.dropFirst())", use: refuse)
    }

    @Sendable private func route(_ request: Request, _ context: APIContext) throws -> Response {
        guard let id = try ObjectParameters(request).text("appId") else {
            throw ServiceError(.badRequest, "appId is missing.")
        }
        guard let app = AppID(id), apps[app] != nil else {
            throw ServiceError(.routeNotFound, "There is no app with this appId.")
        }
        guard connections != nil else { throw ServiceError.hasNoLiveQueries }
        return JSONValue.object([
            "groupId": "g0", "server": .string(address(of: app)), "secondary": .string(address(of: app)),
            "ttl": .integer(RealtimeRoutes.ttl),
        ]).response()
    }

    /// The address of the WebSocket: as secure as the public URL, and below its path.
    ///
    /// It names the app, because the log-in of Java's SDK does not.
    private func address(of app: AppID) -> String {
        let isSecure = publicURL.lowercased().hasPrefix("https:")
        let rest = publicURL.drop { $0 != ":" }
        return "\(isSecure ? "wss" : "ws")\(rest)\(WebSocketHandshake.path)?appId=\(app)"
    }

    /// Answers what the connection did not accept as a handshake.
    @Sendable private func refuse(_ request: Request, _ context: APIContext) throws -> Response {
        guard let connections else { throw ServiceError.hasNoLiveQueries }
        do {
            _ = try WebSocketHandshake { name in
                HTTPField.Name(name).map { request.headers[values: $0] } ?? []
            }
        } catch {
            let headers: HTTPFields =
                switch error {
                case .isNone: [.upgrade: "websocket", .connection: "upgrade"]
                case .version: [.webSocketVersion: "13"]
                case .key, .format: [:]
                }
            throw DialectError(
                error == .isNone ? .upgradeRequired : .badRequest,
                ServiceError(.badRequest, error.message),
                headers
            )
        }
        if let refusal = connections.refusal(of: context.clientAddress) { throw refusal }
        throw ServiceError(.badRequest, "A handshake must be a GET request of HTTP/1.1 without a body.")
    }
}

extension ServiceError {
    /// The error of a server whose operator switched live queries off.
    static let hasNoLiveQueries = ServiceError(
        .notAvailable,
        "LiveQuery is not enabled on this server (liveQueries.enabled)."
    )
}

extension HTTPField.Name {
    fileprivate static let webSocketVersion = known("Sec-WebSocket-Version")
}
