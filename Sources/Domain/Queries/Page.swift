/// The part of a result list that a query returns.
package struct Page: Sendable, Hashable {
    /// The maximum number of results; 0 to 1000 in queries of clients.
    package let limit: Int
    /// The number of results to skip; 0 or more.
    package let skip: Int

    /// Creates a page from the parameters of a query.
    ///
    /// A limit above 1000 becomes 1000, one below 0 becomes 100, the default (protocol/data 4.3).
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for a negative skip.
    package init(limit: Int? = nil, skip: Int? = nil) throws {
        guard (skip ?? 0) >= 0 else { throw ServiceError(.badRequest, "skip must not be negative.") }
        self.init(limit: limit.map { $0 < 0 ? 100 : min($0, 1000) } ?? 100, from: skip ?? 0)
    }

    private init(limit: Int, from skip: Int) {
        self.limit = limit
        self.skip = skip
    }

    /// Creates a page of the first results, for internal queries.
    package init(first limit: Int) {
        self.init(limit: limit, from: 0)
    }

    /// The first result only.
    package static let first = Page(first: 1)
    /// The whole list, for queries that another rule bounds.
    package static let all = Page(first: .max)
}
