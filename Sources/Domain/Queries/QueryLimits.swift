/// What a query may cost, each a setting.
package struct QueryLimits: Sendable {
    /// How deep `$and`, `$or` and sub-queries may stand inside each other.
    package var depth: Int
    /// The most conditions of a `where`, those of its sub-queries included.
    package var conditions: Int
    /// The most values of `$in`, `$nin` and `$all`.
    package var listLength: Int
    /// The most values of all lists of a `where` together.
    package var values: Int
    /// The most sub-queries of a `where`.
    package var subqueries: Int
    /// The most bytes of a regular expression.
    package var patternLength: Int
    /// Seconds that a query may run.
    package var timeout: Int
    /// The most requests of one caller that query at the same time or wait to.
    package var concurrent: Int
    /// The most bytes of objects in a reply; what is beyond is left out, as on LeanCloud (protocol/data 3.8).
    package var replySize: Int

    /// Takes every limit; the defaults are those of the settings.
    package init(
        depth: Int = 20,
        conditions: Int = 1000,
        listLength: Int = 10_000,
        values: Int = 20_000,
        subqueries: Int = 10,
        patternLength: Int = 1000,
        timeout: Int = 10,
        concurrent: Int = 64,
        replySize: Int = 6 << 20
    ) {
        self.depth = depth
        self.conditions = conditions
        self.listLength = listLength
        self.values = values
        self.subqueries = subqueries
        self.patternLength = patternLength
        self.timeout = timeout
        self.concurrent = concurrent
        self.replySize = replySize
    }
}
