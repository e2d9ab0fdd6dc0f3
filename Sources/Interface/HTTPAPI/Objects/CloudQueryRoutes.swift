internal import Domain
internal import Hummingbird
internal import HummingbirdCore

/// Queries and changes in CQL (protocol/data 4.7).
struct CloudQueryRoutes: Sendable {
    let apps: [AppID: AppServices]

    func add(to callers: RouterGroup<CallerContext>) {
        callers.get("cloudQuery", use: perform)
    }

    @Sendable private func perform(_ request: Request, _ context: CallerContext) async throws -> Response {
        let app = try apps.services(of: context.caller)
        let parameters = try ObjectParameters(request)
        guard let text = parameters.text("cql") else {
            throw ServiceError(.cqlSyntax, "CQL syntax error.Detail: the parameter cql is missing.")
        }
        let statement = try CQLStatement(parsing: text, values: try parameters.placeholders, now: .now())
        return try await app.objects.perform(
            statement,
            engine: app.decoder.engine,
            as: context.caller,
            presence: ClientPresence.Watch(context.channel)
        ).json.response()
    }
}

extension ObjectParameters {
    /// The values of the placeholders in `pvalues`.
    fileprivate var placeholders: [JSONValue] {
        get throws {
            guard let text = text("pvalues") else { return [] }
            var json = try JSONValue(parsing: Array(text.utf8), field: "pvalues", values: JSONValue.maxValues)
            // The Python SDK encodes a list twice.
            if let inner = json.stringValue {
                json = try JSONValue(parsing: Array(inner.utf8), field: "pvalues", values: JSONValue.maxValues)
            }
            guard let values = json.arrayValue else {
                throw ServiceError(.malformedJSON, "pvalues must be a JSON array.")
            }
            return values
        }
    }
}
