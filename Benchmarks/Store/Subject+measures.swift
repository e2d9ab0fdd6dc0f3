internal import Domain
internal import GRDB

/// The measures. The SQL is what the store compiles for the same command; a change there is made here too.
extension Subject {
    func get(_ tables: Tables, of count: Int = .max, note: String = "") throws -> Measure {
        let ids = try sql.sample("id", of: tables.item).prefix(count).compactMap { ObjectID($0) }
        let select = "\(Subject.columns) FROM \(tables.item) WHERE id = ?"
        return Measure(name: "get by id\(note)", calls: 4000) { call in
            let command = ObjectCommand(item, .get(ids[call % ids.count]))
            let reply = try await objects.perform(command, as: caller)
            return if case .object = reply.content { 1 } else { 0 }
        } sql: { call in
            try await sql.answer([Question(sql: select, arguments: [ids[call % ids.count].description])])
        }
    }

    func file(_ tables: Tables) throws -> Measure {
        let keys = try sql.sample("json_extract(body, '$.key')", of: tables.file).compactMap { FileKey($0) }
        let select = Subject.find(in: tables.file, by: "key")
        return Measure(name: "file by key", calls: 4000) { call in
            try await files.file(key: keys[call % keys.count]) == nil ? 0 : 1
        } sql: { call in
            let key = keys[call % keys.count].description
            return try await sql.answer([Question(sql: select, arguments: [key, 1, 0])])
        }
    }

    func findOne(_ tables: Tables) throws -> Measure {
        let codes = try sql.sample("json_extract(body, '$.code')", of: tables.item)
        let select = Subject.find(in: tables.item, by: "code")
        let page = try Page(limit: 1)
        return Measure(name: "find by index, limit 1", calls: 4000) { call in
            let hasCode = Condition.field(FieldPath(field: "code"), .equals(.string(codes[call % codes.count])))
            return try await found(ObjectCommand.Search(where: hasCode, page: page))
        } sql: { call in
            try await sql.answer([Question(sql: select, arguments: [codes[call % codes.count], 1, 0])])
        }
    }

    func findMany(_ tables: Tables) throws -> Measure {
        let ranks = try self.ranks(tables)
        let select = Subject.find(in: tables.item, by: "rank")
        let page = try Page(limit: 100)
        return Measure(name: "find by index, limit 100", calls: 400) { call in
            let hasRank = Condition.field(FieldPath(field: "rank"), .equals(.integer(ranks[call % ranks.count])))
            return try await found(ObjectCommand.Search(where: hasRank, page: page))
        } sql: { call in
            try await sql.answer([Question(sql: select, arguments: [ranks[call % ranks.count], 100, 0])])
        }
    }

    func newest(_ tables: Tables) throws -> Measure {
        let order = "ORDER BY created_at DESC, number DESC LIMIT"
        let owners = try sql.text(
            """
            SELECT json_group_array(DISTINCT json_extract(body, '$.owner.objectId')) \
            FROM (SELECT body FROM \(tables.item) \(order) 100)
            """
        )
        let questions = [
            Question(sql: "\(Subject.columns) FROM \(tables.item) WHERE 1 \(order) ? OFFSET ?", arguments: [100, 0]),
            Question(
                sql: "\(Subject.columns) FROM \(tables.owner) WHERE id IN (SELECT value FROM json_each(?))",
                arguments: [owners]
            ),
        ]
        let search = ObjectCommand.Search(
            order: [SortKey(FieldPath(field: "createdAt"), descending: true)],
            page: try Page(limit: 100)
        )
        let view = ObjectView(include: "owner", keys: "", returnsACL: false)
        return Measure(name: "newest 100 with include", calls: 200) { _ in
            try await found(search, view: view)
        } sql: { _ in
            try await sql.answer(questions)
        }
    }

    func count(_ tables: Tables) throws -> Measure {
        let ranks = try self.ranks(tables)
        let select = "SELECT count(*) FROM \(tables.item) WHERE (json_extract(body, '$.rank') = ?)"
        let page = try Page(limit: 0)
        return Measure(name: "count by index", calls: 1000) { call in
            let hasRank = Condition.field(FieldPath(field: "rank"), .equals(.integer(ranks[call % ranks.count])))
            let search = ObjectCommand.Search(where: hasRank, page: page, counts: true)
            return try await listing(search)?.count ?? 0
        } sql: { call in
            try await sql.answer([Question(sql: select, arguments: [ranks[call % ranks.count]], isCount: true)])
        }
    }

    private func ranks(_ tables: Tables) throws -> [Int64] {
        try sql.sample("json_extract(body, '$.rank')", of: tables.item).compactMap { Int64($0) }
    }

    /// How many objects a query finds.
    private func found(_ search: ObjectCommand.Search, view: ObjectView = .plain) async throws -> Int {
        try await listing(search, view: view)?.objects.count ?? 0
    }

    private func listing(_ search: ObjectCommand.Search, view: ObjectView = .plain) async throws -> ObjectListing? {
        let reply = try await objects.perform(ObjectCommand(item, .find(search), view: view), as: caller)
        return if case .listing(let listing) = reply.content { listing } else { nil }
    }

    private static let columns = "SELECT id, created_at, updated_at, acl, body, checksum"

    private static func find(in table: String, by field: String) -> String {
        "\(columns) FROM \(table) WHERE (json_extract(body, '$.\(field)') = ?) ORDER BY number LIMIT ? OFFSET ?"
    }
}
