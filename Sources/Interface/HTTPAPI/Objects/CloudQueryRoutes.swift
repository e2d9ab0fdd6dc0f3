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
        let explains = parameters.flag("explain")
        if explains { try context.caller.requireMasterKey() }
        let statement = try parameters.statement
        let presence = ClientPresence.Watch(context.channel)
        let engine = app.decoder.engine
        guard !explains else {
            return try await app.objects.explain(statement, engine: engine, as: context.caller, presence: presence)
                .json.response()
        }
        return try await app.objects.perform(statement, engine: engine, as: context.caller, presence: presence)
            .json.response()
    }
}

extension ObjectParameters {
    /// The statement in `cql`, with the values of `pvalues`.
    ///
    /// Throws ``ServiceError/Code/cqlSyntax`` for a statement that is missing or violates the grammar, and
    /// ``ServiceError/Code/malformedJSON`` for malformed values.
    var statement: CQLStatement {
        get throws {
            guard let text = text("cql") else {
                throw ServiceError(.cqlSyntax, "CQL syntax error.Detail: the parameter cql is missing.")
            }
            return try CQLStatement(parsing: text, values: try placeholders, now: .now())
        }
    }

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
