/// How the server reads a SELECT, and how its queries run.
public struct CQLExplanation: Sendable, Hashable {
    /// The WHERE as the `where` of REST.
    public let condition: JSON
    /// The queries in the order in which they run.
    public let queries: [Query]
    /// The whole answer.
    public let json: JSON

    /// One query of the statement.
    public struct Query: Sendable, Hashable {
        /// What it is for: `subquery`, `find` or `count`.
        public let kind: String
        /// The class that is queried.
        public let className: String
        /// The SQL that runs, with its values.
        public let sql: String
        /// The database's plan: a line for each step.
        public let plan: [String]
    }

    /// Reads an answer; `nil` if it has another form.
    init?(_ json: JSON) {
        guard let condition = json["where"], let list = json["queries"]?.elements else { return nil }
        self.condition = condition
        self.json = json
        queries = list.compactMap(Query.init)
        guard queries.count == list.count else { return nil }
    }
}

extension CQLExplanation.Query {
    fileprivate init?(_ json: JSON) {
        guard let kind = json["kind"]?.string, let className = json["className"]?.string,
            let sql = json["sql"]?.string, let plan = json["plan"]?.elements
        else { return nil }
        self.init(kind: kind, className: className, sql: sql, plan: plan.compactMap(\.string))
    }
}
