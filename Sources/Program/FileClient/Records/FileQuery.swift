/// A query of file records.
public struct FileQuery: Sendable, Hashable {
    /// The condition, a JSON object; `nil` for all files.
    public var condition: JSON?
    /// Field names, with `-` for descending order, separated by commas.
    public var order = "-createdAt"
    /// The maximum number of records; `nil` for all.
    public var limit: Int?
    /// Whether the records contain their ACLs.
    public var showsACL = false
    /// The number of records of one request, 1 to 1000.
    public var pageSize = 1000

    /// Creates a query of all files, the newest first.
    public init() {}
}

/// The results of a query, one page after the other; only one page is in memory.
///
/// Pages of queries ordered by `createdAt`, `updatedAt` or `objectId` alone begin behind the last record of the page
/// before, so that they neither repeat nor omit records while files are created and deleted, and cost the same for each
/// page. Other orders skip the records of earlier pages.
public struct FilePages: Sendable, AsyncSequence {
    let query: FileQuery
    let client: FileClient

    /// Creates an iterator; it sends the first request when it is called.
    public func makeAsyncIterator() -> Iterator {
        Iterator(query: query, client: client)
    }

    /// Requests a page at each call.
    public struct Iterator: AsyncIteratorProtocol {
        private let query: FileQuery
        private let client: FileClient
        private var count = 0
        private var last: FileRecord?
        private var isAtEnd = false

        init(query: FileQuery, client: FileClient) {
            self.query = query
            self.client = client
        }

        /// The next page, never empty; `nil` at the end.
        ///
        /// - Throws: ``FileClientError``.
        public mutating func next() async throws -> [FileRecord]? {
            let wanted = Swift.min(query.pageSize, query.limit.map { $0 - count } ?? .max)
            guard !isAtEnd, wanted > 0 else { return nil }
            let page = FilePage(query: query, count: wanted, after: last, skipping: count)
            let records = try await client.records(page.parameters)
            isAtEnd = records.count < wanted
            count += records.count
            last = records.last
            return records.isEmpty ? nil : records
        }
    }
}

/// One request of a query.
struct FilePage {
    let query: FileQuery
    let count: Int
    let after: FileRecord?
    let skipping: Int

    /// The query parameters, not yet percent-encoded.
    var parameters: [(name: String, value: String)] {
        var parameters = [("limit", String(count))]
        let continuation = position.flatMap { continuing(after: $0) }
        let conditions = [query.condition, continuation].compactMap(\.self)
        if let condition = conditions.count > 1 ? .object(["$and": .array(conditions)]) : conditions.first {
            parameters.append(("where", condition.description))
        }
        // The id orders records of the same moment.
        parameters.append(("order", position == nil || field == "objectId" ? query.order : query.order + ",objectId"))
        if after != nil, continuation == nil { parameters.append(("skip", String(skipping))) }
        if query.showsACL { parameters.append(("returnACL", "true")) }
        return parameters
    }

    private var isDescending: Bool { query.order.hasPrefix("-") }

    private var field: String { String(query.order.drop { $0 == "-" }) }

    /// The field whose values tell where the next page begins; `nil` if the order has another or several fields.
    private var position: String? {
        ["createdAt", "updatedAt", "objectId"].contains(field) ? field : nil
    }

    private func continuing(after field: String) -> JSON? {
        guard let after, let value = after[field] else { return nil }
        let comparison = isDescending ? "$lt" : "$gt"
        guard field != "objectId" else { return .object([field: .object([comparison: .string(value)])]) }
        let date = JSON.object(["__type": .string("Date"), "iso": .string(value)])
        let sameMoment = JSON.object([field: date, "objectId": .object(["$gt": .string(after.objectId)])])
        return .object(["$or": .array([.object([field: .object([comparison: date])]), sameMoment])])
    }
}
