/// How the server reads a SELECT, and how the store runs it; for operators.
package struct CQLExplanation: Sendable {
    /// The class of the statement.
    package let className: ClassName
    /// The WHERE as the `where` of REST, with `$notRegex`, which only CQL has; an empty object without WHERE.
    package let condition: JSONValue
    /// The queries in the order in which they run.
    package let queries: [Query]

    /// One query of the statement.
    package struct Query: Sendable {
        /// What the query is for.
        package let kind: Kind
        /// The class that is queried.
        package let className: ClassName
        /// How the store runs it.
        package let explanation: QueryExplanation
    }

    /// The kinds of queries.
    package enum Kind: String, Sendable {
        /// A sub-query, whose results are values in the query that contains it.
        case subquery
        /// The objects of the page.
        case find
        /// The number of all objects that match.
        case count
    }
}

extension ObjectService {
    /// Explains a SELECT.
    ///
    /// Its sub-queries run, because their results are part of its SQL; the SELECT itself does not.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - engine: The engine of regular expressions.
    ///   - caller: The caller, who must have the master key.
    ///   - presence: Cancels slow sub-queries when the client disconnects; without it they run to their end.
    /// - Returns: The explanation, without the queries of `include`.
    /// - Throws: ``ServiceError/Code/masterKeyRequired`` for other callers, ``ServiceError/Code/badRequest`` for
    ///   statements that change objects, and the errors of the SELECT.
    package func explain(
        _ statement: CQLStatement,
        engine: any PatternEngine,
        as caller: Caller,
        presence: (any CallerPresence)? = nil
    ) async throws -> CQLExplanation {
        try caller.requireMasterKey()
        let command = try statement.commands(limits: settings.queries, engine: engine).first
        guard case .select(let selection) = statement, case .find(let search)? = command?.action else {
            throw ServiceError(.badRequest, "explain takes a SELECT, and this statement changes objects.")
        }
        let className = try ClassName(selection.className)
        return CQLExplanation(
            className: className,
            condition: try selection.condition?.json ?? .object([:]),
            queries: try await reading(as: caller, within: budget(presence)) { rules in
                try rules.explain(search, in: className)
            }
        )
    }
}

extension ObjectReadRules {
    /// Explains a search and its sub-queries, which run.
    fileprivate func explain(_ search: ObjectCommand.Search, in name: ClassName) throws -> [CQLExplanation.Query] {
        let schema = try requireSchema(of: name)
        var queries: [CQLExplanation.Query] = []
        func add(_ query: ObjectQuery, _ kind: CQLExplanation.Kind) throws {
            guard let explanation = try reader.explain(query, counting: kind == .count) else { return }
            queries.append(CQLExplanation.Query(kind: kind, className: query.className, explanation: explanation))
        }
        let resolver = ConditionResolver(reader: reader, access: access, observe: { try add($0, .subquery) })
        let query = try query(of: search, in: schema, resolver)
        if query.page.limit > 0 { try add(query, .find) }
        if search.counts { try add(query, .count) }
        return queries
    }
}
