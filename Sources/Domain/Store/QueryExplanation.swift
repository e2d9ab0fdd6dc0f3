/// How a store runs a query, for operators.
package struct QueryExplanation: Sendable, Hashable {
    /// The statement in the store's language, with its values.
    package let statement: String
    /// The steps of the store's plan in its own words, in order; a step of another step is indented by two spaces.
    package let plan: [String]

    /// Creates an explanation from its parts.
    package init(statement: String, plan: [String]) {
        self.statement = statement
        self.plan = plan
    }
}
