internal import Domain

extension PostgresTransaction {
    func rows(_ query: ObjectQuery) throws -> [ObjectRow] {
        try calling {
            guard query.page.limit > 0 else { return [] }
            var selection = RowSelection(size: query.replySize, startsWithAny: true, limit: query.page.limit)
            try find(query, selecting: ConditionSQL.columns) { result, row in
                selection.add(try result.object(row))
            }
            return selection.rows
        }
    }

    func texts(_ field: String, of query: ObjectQuery) throws -> [(id: ObjectID, text: String)] {
        try calling {
            var found: [(id: ObjectID, text: String)] = []
            try find(query, selecting: ConditionSQL.columns) { result, row in
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
            try scan(statement, limit: .max) { result, row in
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
    private func find(
        _ query: ObjectQuery,
        selecting columns: String,
        _ body: (PostgresResult, Int) throws -> Bool
    ) throws {
        guard let entry = catalog.entries[query.className] else { return }
        try query.requireOrder(in: entry.schema)
        let sql = ConditionSQL(catalog: catalog, entry: entry)
        let (condition, isExact) = sql.condition(query)
        let (limit, skip) = (query.page.limit, query.page.skip)
        guard !isExact else {
            let page = Int64(limit)
            return try scan(
                "\(sql.find(query, selecting: columns, where: condition)) LIMIT \(page) OFFSET \(Int64(skip))",
                limit: limit,
                body
            )
        }
        let choice = RelationColumns(query.condition, sql)
        let statement = sql.find(query, selecting: columns, choice.columns, where: condition)
        var passed = 0
        try scan(statement, limit: .max) { result, row in
            guard try choice.matches(query.condition, result, row, within: budget) else { return true }
            passed += 1
            guard passed > skip else { return true }
            return try body(result, row) && passed - skip < limit
        }
    }

    /// Passes the rows of a statement until the body returns `false`.
    ///
    /// Many rows are fetched in parts, so that memory does not grow with the result.
    func scan(_ statement: SQL, limit: Int, _ body: (PostgresResult, Int) throws -> Bool) throws {
        guard limit > PostgresTransaction.partSize else {
            let result = try run(statement)
            for row in 0..<result.count where try !body(result, row) { return }
            return
        }
        _ = try run("DECLARE part NO SCROLL CURSOR FOR \(statement)")
        var isOpen = true
        while isOpen {
            let result = try run(SQL(text: "FETCH \(PostgresTransaction.partSize) FROM part"))
            isOpen = result.count == PostgresTransaction.partSize
            do {
                for row in 0..<result.count where try !body(result, row) {
                    isOpen = false
                    break
                }
            } catch {
                connection.later("CLOSE part")
                throw error
            }
        }
        connection.later("CLOSE part")
    }

    /// The number of rows that are fetched at a time.
    private static let partSize = 200
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
