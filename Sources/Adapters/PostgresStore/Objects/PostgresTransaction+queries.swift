internal import Domain

extension PostgresTransaction {
    func rows(_ query: ObjectQuery) throws -> [ObjectRow] {
        try calling {
            guard query.page.limit > 0 else { return [] }
            var selection = RowSelection(size: query.replySize, startsWithAny: true, limit: query.page.limit)
            // The database measures whole rows.
            try find(query, upTo: query.projection == nil ? query.replySize : nil) { result, row in
                selection.add(try result.object(row).reading(query.projection))
            }
            return selection.rows
        }
    }

    func texts(_ field: String, of query: ObjectQuery) throws -> [(id: ObjectID, text: String)] {
        try calling {
            var found: [(id: ObjectID, text: String)] = []
            try find(query, upTo: nil) { result, row in
                let object = try result.object(row).object()
                if let text = object.fields[field]?.stringValue { found.append((object.id, text)) }
                return true
            }
            return found
        }
    }

    func count(_ query: ObjectQuery) throws -> Int {
        try calling {
            guard let entry = catalog.entries[query.className] else { return 0 }
            let sql = ConditionSQL(catalog: catalog, entry: entry)
            let (condition, isExact) = sql.condition(query)
            guard !isExact else { return Int(try run(sql.count(where: condition)).integer(0, 0) ?? 0) }
            var count = 0
            let choice = RelationColumns(query.condition, sql)
            let statement: SQL = """
                SELECT \(sql: ConditionSQL.columns)\(choice.columns) FROM \(sql: entry.table) WHERE \(condition)
                """
            try scan(statement) { result, row in
                if try choice.matches(query.condition, result, row, within: budget) { count += 1 }
                return true
            }
            return count
        }
    }

    func explain(_ query: ObjectQuery, counting: Bool) throws -> QueryExplanation? {
        try calling {
            guard let entry = catalog.entries[query.className] else { return nil }
            try query.requireOrder(in: entry.schema)
            let sql = ConditionSQL(catalog: catalog, entry: entry)
            let (condition, _) = sql.condition(query)
            let statement =
                counting
                ? sql.count(where: condition)
                : "\(sql.find(query, where: condition)) LIMIT \(Int64(query.page.limit)) OFFSET \(Int64(query.page.skip))"
            let result = try run("EXPLAIN (COSTS OFF) \(statement)")
            return QueryExplanation(
                statement: statement.expanded,
                plan: (0..<result.count).compactMap { result.text($0, 0) }
            )
        }
    }

    /// Passes the rows of a query's page until the body returns `false`.
    ///
    /// If the condition needs Domain, it skips and counts only rows that pass.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - size: The size of rows after which the body wants no further ones, in bytes; `nil` if only the body knows.
    ///   - body: Gets a result and the number of a row in it.
    /// - Throws: Errors of the statements and of the body.
    private func find(
        _ query: ObjectQuery,
        upTo size: Int?,
        _ body: (PostgresResult, Int) throws -> Bool
    ) throws {
        guard let entry = catalog.entries[query.className] else { return }
        try query.requireOrder(in: entry.schema)
        let sql = ConditionSQL(catalog: catalog, entry: entry)
        let (condition, isExact) = sql.condition(query)
        let (limit, skip) = (query.page.limit, query.page.skip)
        guard !isExact else {
            let page: SQL = "\(sql.find(query, where: condition)) LIMIT \(Int64(limit)) OFFSET \(Int64(skip))"
            return try pass(page, limit: limit, upTo: size, body)
        }
        let choice = RelationColumns(query.condition, sql)
        let statement = sql.find(query, choice.columns, where: condition)
        var passed = 0
        try scan(statement) { result, row in
            guard try choice.matches(query.condition, result, row, within: budget) else { return true }
            passed += 1
            guard passed > skip else { return true }
            return try body(result, row) && passed - skip < limit
        }
    }

    /// Passes the rows of a statement with ``ConditionSQL/columns`` until the body returns `false`.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - limit: The maximum number of rows.
    ///   - size: The size of rows after which the body wants no further ones, in bytes; `nil` if only the body knows.
    ///   - body: Gets a result and the number of a row in it.
    /// - Throws: Errors of the statements and of the body.
    func pass(
        _ statement: SQL,
        limit: Int,
        upTo size: Int?,
        _ body: (PostgresResult, Int) throws -> Bool
    ) throws {
        if let size, limit > 1 {
            try run(ConditionSQL.beginning(of: statement, upTo: size), passing: body)
        } else if limit <= ScanPart.first {
            try run(statement, passing: body)
        } else {
            try scan(statement, body)
        }
    }

    /// Passes the rows of a statement until the body returns `false`, which can be long before the last one.
    ///
    /// They are fetched in parts, so that the database sends few that are not needed.
    private func scan(_ statement: SQL, _ body: (PostgresResult, Int) throws -> Bool) throws {
        _ = try run("DECLARE part NO SCROLL CURSOR FOR \(statement)")
        var part = ScanPart()
        var outcome: Result<Bool, any Error> = .success(true)
        repeat {
            part.begin()
            try run(SQL(text: "FETCH \(part.limit) FROM part")) { result, row in
                part.add(result.size(row))
                outcome = Result { try body(result, row) }
                return (try? outcome.get()) == true
            }
        } while part.isFull && (try? outcome.get()) == true
        connection.later("CLOSE part")
        _ = try outcome.get()
    }
}

/// A part of the rows of a scan; the size of the rows before it determines their number.
private struct ScanPart {
    /// The number of rows that are fetched.
    private(set) var limit = ScanPart.first
    private var count = 0
    private var size = 0

    /// The number of rows of the first part.
    static let first = 128
    /// The size of a part in bytes.
    private static let wantedSize = 2 << 20
    /// Powers of two, because each number is a statement that the server prepares.
    private static let limits = [16, 32, 64, 128, 256, 512, 1024]

    /// Whether further rows can follow.
    var isFull: Bool { count == limit }

    /// Begins the next part.
    mutating func begin() {
        if count > 0 {
            let wanted = ScanPart.wantedSize / max(1, size / count)
            limit = ScanPart.limits.last { $0 <= wanted } ?? 16
        }
        (count, size) = (0, 0)
    }

    mutating func add(_ size: Int) {
        count += 1
        self.size += size
    }
}

/// The relations in a condition that Domain evaluates, as columns of the rows.
struct RelationColumns {
    private struct Relation: Hashable {
        let owner: Pointer?
        let key: String
        let members: [ObjectID]?
    }

    /// The further columns, each with a comma before it.
    private(set) var columns: SQL = ""
    private var positions: [Relation: Int] = [:]

    /// The number of columns of ``ConditionSQL/columns``.
    private static let first = 5

    init(_ condition: Condition, _ sql: ConditionSQL) {
        add(condition, sql)
    }

    private mutating func add(_ condition: Condition, _ sql: ConditionSQL) {
        switch condition {
        case .all(let parts), .any(let parts): for part in parts { add(part, sql) }
        case .not(let part): add(part, sql)
        case .field: break
        case .member(let owner, let key): add(Relation(owner: owner, key: key, members: nil), sql.member(owner, key))
        case .relates(let key, let members):
            add(Relation(owner: nil, key: key, members: members), sql.relates(key, members))
        }
    }

    private mutating func add(_ relation: Relation, _ column: SQL) {
        guard positions[relation] == nil else { return }
        positions[relation] = RelationColumns.first + positions.count
        columns = "\(columns), \(column)"
    }

    /// Whether the condition holds for the object of a row.
    func matches(
        _ condition: Condition,
        _ result: PostgresResult,
        _ row: Int,
        within budget: QueryBudget?
    ) throws -> Bool {
        let object = try result.object(row).object()
        return try condition.matches(object, within: budget) { owner, key, members in
            guard let position = positions[Relation(owner: owner, key: key, members: members)] else { return false }
            return result.boolean(row, position)
        }
    }
}

extension ObjectQuery {
    /// Refuses an order by a member whose name has a quote, a backslash or a control character, as SQLite does: clients
    /// get the same answer from both.
    fileprivate func requireOrder(in schema: ClassSchema) throws {
        for key in order where schema.type(of: key.path.field) != nil {
            let isPlain = key.path.segments.allSatisfy { name in
                !name.hasControlCharacters && !name.unicodeScalars.contains { ["\"", "\\", "'"].contains($0) }
            }
            guard isPlain else {
                throw ServiceError(
                    .invalidKey,
                    "Objects cannot be ordered by '\(key.path)': it has quotes or backslashes."
                )
            }
        }
    }
}
