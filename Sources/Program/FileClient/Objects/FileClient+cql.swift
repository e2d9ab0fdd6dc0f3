/// The answer to a statement of CQL.
public struct CQLAnswer: Sendable, Hashable {
    /// The objects that a SELECT found; of an INSERT or UPDATE the ids and times.
    public let results: [JSON]
    /// The class of the statement.
    public let className: String
    /// The number of objects, if the statement selects it.
    public let count: Int64?
}

extension FileClient {
    /// Performs a statement of CQL, LeanCloud's query language (docs/queries.md).
    ///
    /// Only a SELECT is sent again after a temporary error, because a change would be made twice.
    ///
    /// - Parameters:
    ///   - statement: The statement, at most 4096 bytes.
    ///   - values: The values of its placeholders, in order.
    /// - Returns: The answer.
    /// - Throws: ``FileClientError``, with code 300 for a statement that violates the grammar.
    public func cloudQuery(_ statement: String, _ values: [JSON] = []) async throws -> CQLAnswer {
        let request = cqlRequest(statement, values, isIdempotent: FileClient.isSelect(statement))
        let response = try await send(request)
        guard let reply = try? JSON(parsing: response.body), let results = reply["results"]?.elements,
            let className = reply["className"]?.string
        else { throw FileClientError(.unexpectedAnswer, "the answer does not come from an lcfile server") }
        let count: Int64? = if case .integer(let count)? = reply["count"] { count } else { nil }
        return CQLAnswer(results: results, className: className, count: count)
    }
    /// Explains a SELECT with the master key: how the server reads it, and how its queries run.
    ///
    /// - Parameters:
    ///   - statement: A statement for which ``isSelect(_:)`` holds: servers without this call perform the statement.
    ///   - values: The values of its placeholders, in order.
    /// - Returns: The explanation.
    /// - Throws: ``FileClientError``; its kind is `local` for other statements, which are not sent.
    public func explainCloudQuery(_ statement: String, _ values: [JSON] = []) async throws -> CQLExplanation {
        guard FileClient.isSelect(statement) else {
            throw FileClientError(.local, "only a SELECT can be explained")
        }
        let request = cqlRequest(statement, values, [("explain", "1")], isIdempotent: true)
        let response = try await send(request)
        guard let reply = try? JSON(parsing: response.body), let explanation = CQLExplanation(reply) else {
            throw FileClientError(.unexpectedAnswer, "the answer does not come from an lcfile server that can explain")
        }
        return explanation
    }

    private func cqlRequest(
        _ statement: String,
        _ values: [JSON],
        _ others: [(String, String)] = [],
        isIdempotent: Bool
    ) -> Request {
        var parameters = [("cql", statement)]
        if !values.isEmpty { parameters.append(("pvalues", JSON.array(values).description)) }
        var request = request("GET", "/1.1/cloudQuery" + FileClient.queryString(parameters + others))
        request.isIdempotent = isIdempotent
        return request
    }

    /// Whether a statement begins with SELECT.
    public static func isSelect(_ statement: String) -> Bool {
        statement.drop { $0.isWhitespace }.prefix(6).lowercased() == "select"
    }
}
