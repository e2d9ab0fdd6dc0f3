/// Which part of a list is wanted.
package struct Page: Sendable, Hashable {
    /// 0 to 1000, if a client asks.
    package let limit: Int
    /// 0 or more.
    package let skip: Int

    /// Takes the numbers of a query: a limit above 1000 acts as 1000, one below 0 as 100, the default (protocol/data
    /// 4.3).
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

    /// The first so many, for questions of lcfile's own.
    package init(first limit: Int) {
        self.init(limit: limit, from: 0)
    }

    /// The first one only.
    package static let first = Page(first: 1)
    /// The whole list, where another rule bounds it.
    package static let all = Page(first: .max)
}
