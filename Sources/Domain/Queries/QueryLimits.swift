/// The limits of a query, each a setting.
package struct QueryLimits: Sendable {
    /// The maximum depth of nested `$and`, `$or` and sub-queries.
    package var depth: Int
    /// The maximum number of conditions of a `where`, including those of its sub-queries.
    package var conditions: Int
    /// The maximum number of values of `$in`, `$nin` and `$all`.
    package var listLength: Int
    /// The maximum number of values of all lists of a `where` together.
    package var values: Int
    /// The maximum number of sub-queries of a `where`.
    package var subqueries: Int
    /// The maximum length of a regular expression in bytes.
    package var patternLength: Int
    /// The maximum memory of all compiled regular expressions of a request in bytes.
    package var patternMemory: Int
    /// The time limit of a query in seconds.
    package var timeout: Int
    /// The maximum number of requests of one caller that query or wait at the same time.
    package var concurrent: Int
    /// The maximum size of the objects in a reply, in bytes; further objects are left out, as on LeanCloud
    /// (protocol/data 3.8).
    package var replySize: Int

    /// Creates limits; the defaults are those of the settings.
    package init(
        depth: Int = 20,
        conditions: Int = 1000,
        listLength: Int = 10_000,
        values: Int = 20_000,
        subqueries: Int = 10,
        patternLength: Int = 1000,
        patternMemory: Int = 1 << 20,
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
        self.patternMemory = patternMemory
        self.timeout = timeout
        self.concurrent = concurrent
        self.replySize = replySize
    }
}
