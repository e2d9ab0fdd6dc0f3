internal import Domain
internal import FoundationEssentials
internal import GRDB

/// The parts for queries that all connections of a database share.
struct QuerySupport: Sendable {
    let functions: QueryFunctions
    let shapes: StatementShapes
    let health: StorageHealth
}

/// One transaction on one connection; used on that connection's queue only.
final class SQLiteTransaction: WriteTransaction {
    let db: Database
    /// The catalog with the changes of this transaction.
    var catalog: Catalog
    let budget: QueryBudget?
    /// The recorded changes; reads record none.
    var changes: TransactionChanges
    /// The last storage fault of a change.
    var fault: ServiceError?
    let queries: QuerySupport
    /// Takes the rows that are read by id, with a moment before the snapshot; `nil` if none are cached.
    private let cache: (rows: RowCache, before: RowCache.Moment)?
    /// The objects that were updated or deleted, also those of an attempt that was undone.
    var changed: [Pointer] = []

    init(
        _ db: Database,
        _ catalog: Catalog,
        _ queries: QuerySupport,
        within budget: QueryBudget? = nil,
        cachingIn cache: (rows: RowCache, before: RowCache.Moment)? = nil,
        recording changes: TransactionChanges = TransactionChanges()
    ) {
        self.db = db
        self.catalog = catalog
        self.queries = queries
        self.budget = budget
        self.cache = cache
        self.changes = changes
    }

    var callerChanges: Int { changes.callerChanges }

    func schema(of name: ClassName) -> ClassSchema? {
        catalog.entries[name]?.schema
    }

    func schemas() -> [ClassSchema] {
        catalog.entries.values.map(\.schema).sorted { $0.name < $1.name }
    }

    func row(_ id: ObjectID, in name: ClassName) throws -> ObjectRow? {
        guard let table = table(of: name) else { return nil }
        let statement = try db.cachedStatement(sql: "\(SQLiteTransaction.select) FROM \(table) WHERE id = ?")
        let rows = try Row.fetchCursor(statement, arguments: [id.description])
        // The end of the cursor resets the statement, and with it the row.
        let row = try withExtendedLifetime(rows) {
            try rows.next() == nil ? nil : ObjectRow(reading: statement, of: name)
        }
        if let row { store(row, of: name) }
        return row
    }

    /// Stores a row in the cache, if this transaction has one.
    private func store(_ row: ObjectRow, of name: ClassName) {
        guard let cache else { return }
        cache.rows.store(row, of: Pointer(name, row.id), readAfter: cache.before)
    }

    func rows(
        _ ids: Set<ObjectID>,
        in name: ClassName,
        readableBy readers: Readers,
        upTo size: Int,
        reading projection: RowProjection?
    ) throws -> [ObjectRow] {
        guard let table = table(of: name), !ids.isEmpty else { return [] }
        let list = JSONValue.array(ids.map { .string($0.description) })
        var sql: SQL = """
            \(sql: SQLiteTransaction.select) FROM \(sql: table) \
            WHERE id IN (SELECT value FROM json_each(\(list.databaseValue)))
            """
        var registered: [Int64] = []
        if case .subjects(let subjects) = readers {
            let readable = queries.functions.readable(by: subjects)
            registered = [readable.number]
            sql += " AND \(readable.sql)"
        }
        defer { _ = queries.functions.release(registered) }
        return try prepared(sql) { statement, arguments in
            let rows = try Row.fetchCursor(statement, arguments: arguments)
            // The cache has whole rows.
            return try objects(in: statement, rows, of: name, upTo: size, reading: projection) { store($0, of: name) }
        }
    }

    func rows(_ query: ObjectQuery) throws -> [ObjectRow] {
        try running(query) { compiler in
            try prepared(compiler.find(query)) { statement, arguments in
                let rows = try Row.fetchCursor(statement, arguments: arguments)
                guard try rows.next() != nil else { return [] }
                let (name, projection) = (query.className, query.projection)
                let first = try ObjectRow(reading: statement, of: name).reading(projection)
                let size = query.replySize - first.size
                return [first] + (try objects(in: statement, rows, of: name, upTo: size, reading: projection))
            }
        } ?? []
    }

    /// Reads the rows of a running statement while what a projection leaves of them fits into the size.
    private func objects(
        in statement: Statement,
        _ rows: RowCursor,
        of name: ClassName,
        upTo size: Int,
        reading projection: RowProjection?,
        passing whole: (ObjectRow) -> Void = { _ in }
    ) throws -> [ObjectRow] {
        var found: [ObjectRow] = []
        var remaining = size
        while try rows.next() != nil {
            // SQLite checks the budget in its own work; a projection reads rows of any size.
            if projection != nil { try budget?.check() }
            let row = try ObjectRow(reading: statement, of: name)
            let object = row.reading(projection)
            remaining -= object.size
            guard remaining >= 0 else { break }
            whole(row)
            found.append(object)
        }
        return found
    }

    func texts(_ field: String, of query: ObjectQuery) throws -> [(id: ObjectID, text: String)] {
        try running(query) { compiler in
            // As JSON where the value would end at U+0000.
            let hasZeros = compiler.entry.hasZeros
            let value = hasZeros ? SQLPath.json(field) : SQLPath.value(FieldPath(field: field))
            let columns = "id, \(value), \(RowChecksum.isIntact)"
            return try prepared(compiler.find(query, selecting: columns)) {
                try Row.fetchAll($0, arguments: $1).compactMap { row in
                    guard row[2] as Bool else {
                        let id = String.fromDatabaseValue(row[0] as DatabaseValue)
                        throw RowChecksum.damage(of: id ?? "", in: query.className)
                    }
                    guard let id = ObjectID(row[0] as String), let text = row[1] as String? else { return nil }
                    guard hasZeros else { return (id, text) }
                    return try JSONValue(parsing: Array(text.utf8), field: field).stringValue.map { (id, $0) }
                }
            }
        } ?? []
    }

    func count(_ query: ObjectQuery) throws -> Int {
        try running(query) { compiler in
            try prepared(compiler.count(query)) { try Int.fetchOne($0, arguments: $1) } ?? 0
        } ?? 0
    }

    func explain(_ query: ObjectQuery, counting: Bool) throws -> QueryExplanation? {
        try running(query) { compiler in
            let (text, arguments) = try (counting ? compiler.count(query) : compiler.find(query)).build(db)
            return QueryExplanation(
                statement: try db.makeStatement(sql: text).expanded(with: arguments),
                plan: try db.plan(of: text, arguments)
            )
        }
    }

    func isRelated(_ owner: Pointer, _ key: String, to members: ArraySlice<ObjectID>) throws -> Bool {
        guard let number = catalog.entries[owner.className]?.number else { return false }
        let statement = try db.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM relation WHERE class = ? AND key = ? AND owner = ? \
                AND member IN (SELECT value FROM json_each(?)))
                """
        )
        let list = JSONValue.array(members.map { .string($0.description) }).databaseValue
        return try Bool.fetchOne(statement, arguments: [number, key, owner.id.description, list]) ?? false
    }

    func membersOfRelations(among objects: Set<ObjectID>, in name: ClassName) throws -> Set<ObjectID> {
        guard !objects.isEmpty else { return [] }
        let list = JSONValue.array(objects.map { .string($0.description) }).databaseValue
        var found: Set<ObjectID> = []
        for owner in catalog.entries.values {
            for (key, target) in owner.schema.relations where target == name {
                let statement = try db.cachedStatement(
                    sql: """
                        SELECT DISTINCT member FROM relation WHERE class = ? AND key = ? \
                        AND member IN (SELECT value FROM json_each(?))
                        """
                )
                let members = try String.fetchAll(statement, arguments: [owner.number, key, list])
                found.formUnion(members.compactMap { ObjectID($0) })
            }
        }
        return found
    }

    func memberships(_ key: String, of name: ClassName, after last: Membership?, limit: Int) throws -> [Membership] {
        guard let number = catalog.entries[name]?.number else { return [] }
        let statement = try db.cachedStatement(
            sql: """
                SELECT owner, member FROM relation WHERE class = ? AND key = ? AND (owner, member) > (?, ?) \
                ORDER BY owner, member LIMIT ?
                """
        )
        let (owner, member) = (last?.owner.description ?? "", last?.member.description ?? "")
        return try Row.fetchAll(statement, arguments: [number, key, owner, member, limit]).compactMap { row in
            guard let owner = ObjectID(row[0] as String), let member = ObjectID(row[1] as String) else { return nil }
            return Membership(owner: owner, member: member)
        }
    }

    private static let select = "SELECT \(ConditionSQL.columns)"

    private func table(of name: ClassName) -> String? {
        catalog.entries[name].map { ClassTable(number: $0.number).name }
    }

    /// Runs statements that can call registered tests, and throws their errors; returns `nil` for a class that does not
    /// exist.
    private func running<Result>(
        _ query: ObjectQuery,
        _ body: (inout ConditionSQL) throws -> Result
    ) throws -> Result? {
        guard let entry = catalog.entries[query.className] else { return nil }
        var compiler = ConditionSQL(catalog: catalog, entry: entry, functions: queries.functions, budget: budget)
        do {
            let result = try body(&compiler)
            _ = queries.functions.release(compiler.registered)
            return result
        } catch {
            throw queries.functions.release(compiler.registered) ?? error
        }
    }

    private func prepared<Result>(_ sql: SQL, _ body: (Statement, StatementArguments) throws -> Result) throws -> Result
    {
        let (text, arguments) = try sql.build(db)
        return try body(queries.shapes.statement(text, db), arguments)
    }
}
