internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// The subscriptions of live queries (protocol/data 8.1).
struct LiveQueryRoutes: Sendable {
    let apps: [AppID: AppServices]
    let bodies: RequestBodies

    func add(to callers: RouterGroup<CallerContext>) {
        callers.post("LiveQuery/subscribe", use: subscribe)
        callers.post("LiveQuery/unsubscribe", use: unsubscribe)
    }

    @Sendable private func subscribe(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let queries = try app.requireLiveQueries()
        return try await bodies.json(of: request, context) { json in
            let body = try members(of: json)
            var caller = context.caller
            if request.headers.sessionToken == nil, let token = body["sessionToken"]?.stringValue, !token.isEmpty {
                caller = try await app.sessions.caller(caller, showing: token)
            }
            let id = try await queries.subscribe(body, as: caller)
            return JSONValue.object(["query_id": .string(id.description)]).response()
        }
    }

    @Sendable private func unsubscribe(_ request: Request, _ context: CallerContext) async throws -> Response {
        let queries = try apps.services(of: context.caller).requireLiveQueries()
        return try await bodies.json(of: request, context) { json in
            try await queries.unsubscribe(members(of: json))
            return JSONValue.object([:]).response()
        }
    }

    private func members(of body: JSONValue) throws -> [String: JSONValue] {
        guard let members = body.objectValue else {
            throw ServiceError(.malformedJSON, "The body must be a JSON object.")
        }
        return members
    }
}

extension AppServices {
    /// - Throws: ``ServiceError/Code/notAvailable`` if the server has no live queries.
    fileprivate func requireLiveQueries() throws -> LiveQueryService {
        guard let liveQueries else { throw ServiceError.hasNoLiveQueries }
        return liveQueries
    }
}
