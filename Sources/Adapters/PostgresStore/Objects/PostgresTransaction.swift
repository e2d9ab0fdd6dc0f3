internal import Domain

/// One transaction on one connection; used on one thread.
///
/// It begins with its first call that needs the database. Then it compares the version of the catalog in its snapshot
/// with that of its copy, and ends with ``CatalogIsOld`` if they differ, so that its body runs again.
///
/// Most reads read one object and nothing else. So a read whose first call is ``row(_:in:)`` does not begin a transaction
/// for it: one statement reads the object, the version of the catalog and the number of the last change. If the body makes a
/// second call, the transaction begins, and its snapshot has the same objects if no change has been committed meanwhile;
/// otherwise the body runs again (``SnapshotIsOld``).
final class PostgresTransaction: WriteTransaction {
    let connection: PostgresConnection
    /// The catalog with the changes of this transaction.
    var catalog: PostgresCatalog
    let budget: QueryBudget?
    /// Builds indexes of large classes; `nil` in reads.
    let builder: IndexBuilder?
    /// The recorded changes for subscribers of this server; reads record none.
    var changes: TransactionChanges
    /// The changes for other servers.
    var logged = LoggedChanges()
    /// Whether statements of writes wait for the next exchange.
    ///
    /// Then a statement that fails ends the whole transaction, because the body that sent it can have ended. All bodies run
    /// again without this.
    let isDeferring: Bool
    /// The first entry of a write in the log of changes, if it changes something.
    let logEntry: LogEntry
    /// The error after which every further call throws.
    var failure: (any Error)?
    private var isCatalogChecked = false
    /// Whether `BEGIN` was sent or waits for the next exchange.
    private(set) var hasBegun: Bool
    /// Whether the first object can be read without a transaction.
    private let canReadAlone: Bool
    /// The number of the last change when the first object was read without a transaction.
    private var firstChange: Int64?
    /// The number of attempts so far, which names their savepoints.
    var attempts = 0
    /// The number of attempts that have begun and not ended.
    var depth = 0

    /// The copy of the catalog is of another version than the database's.
    struct CatalogIsOld: Error {}

    /// Objects have changed since the first one was read.
    struct SnapshotIsOld: Error {}

    init(
        _ connection: PostgresConnection,
        _ catalog: PostgresCatalog,
        within budget: QueryBudget? = nil,
        readingAlone canReadAlone: Bool = false,
        building builder: IndexBuilder? = nil,
        deferring isDeferring: Bool = false,
        as logEntry: LogEntry = LogEntry(number: 0),
        recording changes: TransactionChanges = TransactionChanges()
    ) {
        self.connection = connection
        self.catalog = catalog
        self.budget = budget
        self.builder = builder
        self.canReadAlone = canReadAlone
        // The writer begins, and waits for the turn.
        hasBegun = builder != nil
        self.isDeferring = isDeferring
        self.logEntry = logEntry
        self.changes = changes
    }

    var callerChanges: Int { changes.callerChanges }

    /// Whether it has changed an object or a schema.
    var hasChanges: Bool { !logged.isEmpty || catalog.isChanged }

    /// Adds the begin of a read, and the comparison of the catalog's version, to the next exchange.
    private func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        connection.later("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        connection.later("SELECT catalog_version, last_change FROM state") { [unowned self] result in
            try checkCatalog(result, at: 0)
            guard firstChange == nil || result.integer(0, 1) == firstChange else { throw SnapshotIsOld() }
        }
    }

    private func checkCatalog(_ result: PostgresResult, at column: Int) throws {
        guard result.integer(0, column) == catalog.version else { throw CatalogIsOld() }
        isCatalogChecked = true
    }

    /// Throws the error that ended the transaction, also if the body caught it; compares the catalog's version now if no
    /// exchange has done it.
    func confirm() throws {
        if let failure { throw failure }
        guard !isCatalogChecked else { return }
        begin()
        try connection.flush()
    }

    /// Runs a call; an error of the database ends the transaction, unless an attempt undoes it.
    func calling<Result>(_ call: () throws -> Result) throws -> Result {
        if let failure { throw failure }
        do {
            return try call()
        } catch let error as PostgresError {
            let end = ended(by: error)
            failure = end
            throw end
        } catch let error as CatalogIsOld {
            failure = error
            throw error
        } catch let error as SnapshotIsOld {
            failure = error
            throw error
        } catch let error as MissingIndexes {
            failure = error
            throw error
        } catch let error as PostgresConnection.DeferredFailure {
            failure = error
            throw error
        }
    }

    /// The error of a body whose statement failed: the budget knows the reason of a cancellation.
    private func ended(by error: PostgresError) -> any Error {
        if error.state == PostgresError.cancelled, let budget {
            do { try budget.check() } catch { return error }
        }
        // The pool and the writer run the body again after a loss, which one without time could not use.
        return error.isLoss && budget?.isSpent != true ? error : error.translated
    }

    func run(_ statement: SQL) throws -> PostgresResult {
        try budget?.check()
        begin()
        return try connection.run(statement, within: budget)
    }

    /// Runs a statement whose rows are passed on as they arrive, until the body returns `false`.
    func run(_ statement: SQL, passing body: (PostgresResult, Int) throws -> Bool) throws {
        try budget?.check()
        begin()
        try connection.run(statement, within: budget, passing: body)
    }

    /// Runs a statement whose result no caller needs: in the next exchange if ``isDeferring``, else at once.
    func write(_ statement: SQL) throws {
        if isDeferring { try connection.later(running: statement) } else { _ = try run(statement) }
    }

    /// Reads an object without a transaction, if nothing was read before.
    private func rowAlone(_ id: ObjectID, in table: String) throws -> ObjectRow? {
        try budget?.check()
        let result = try connection.run(
            """
            SELECT \(sql: ConditionSQL.columns), catalog_version, last_change FROM state \
            LEFT JOIN \(sql: table) ON id = \(id.description)
            """,
            within: budget
        )
        try checkCatalog(result, at: 5)
        firstChange = result.integer(0, 6)
        return result.isNull(0, 0) ? nil : try result.object(0)
    }

    func schema(of name: ClassName) throws -> ClassSchema? {
        try calling { catalog.entries[name]?.schema }
    }

    func schemas() throws -> [ClassSchema] {
        try calling { catalog.entries.values.map(\.schema).sorted { $0.name < $1.name } }
    }

    func row(_ id: ObjectID, in name: ClassName) throws -> ObjectRow? {
        try calling {
            guard let entry = catalog.entries[name] else { return nil }
            if canReadAlone, !hasBegun, firstChange == nil { return try rowAlone(id, in: entry.table) }
            let result = try run(
                "SELECT \(sql: ConditionSQL.columns) FROM \(sql: entry.table) WHERE id = \(id.description)"
            )
            return result.count == 0 ? nil : try result.object(0)
        }
    }

    func rows(
        _ ids: Set<ObjectID>,
        in name: ClassName,
        readableBy readers: Readers,
        upTo size: Int,
        reading projection: RowProjection?
    ) throws -> [ObjectRow] {
        try calling {
            guard let entry = catalog.entries[name], !ids.isEmpty else { return [] }
            let readable = ConditionSQL(catalog: catalog, entry: entry).readable(by: readers)
            let statement: SQL = """
                SELECT \(sql: ConditionSQL.columns) FROM \(sql: entry.table) WHERE id = ANY(\(ids))\(readable)
                """
            // The database measures whole rows.
            let measured = projection == nil ? size : nil
            var selection = RowSelection(size: size, startsWithAny: false, limit: .max)
            try pass(statement, limit: ids.count, upTo: measured) { result, row in
                selection.add(try result.object(row).reading(projection))
            }
            return selection.rows
        }
    }

    func isRelated(_ owner: Pointer, _ key: String, to members: ArraySlice<ObjectID>) throws -> Bool {
        try calling {
            guard let number = catalog.entries[owner.className]?.number else { return false }
            let result = try run(
                """
                SELECT EXISTS (SELECT 1 FROM relation WHERE class = \(number) AND key = \(key) \
                AND owner = \(owner.id.description) AND member = ANY(\(members)))
                """
            )
            return result.boolean(0, 0)
        }
    }

    func membersOfRelations(among objects: Set<ObjectID>, in name: ClassName) throws -> Set<ObjectID> {
        try calling {
            guard !objects.isEmpty else { return [] }
            var found: Set<ObjectID> = []
            for owner in catalog.entries.values {
                for (key, target) in owner.schema.relations where target == name {
                    let result = try run(
                        """
                        SELECT DISTINCT member FROM relation WHERE class = \(owner.number) AND key = \(key) \
                        AND member = ANY(\(objects))
                        """
                    )
                    found.formUnion((0..<result.count).compactMap { result.text($0, 0).flatMap(ObjectID.init) })
                }
            }
            return found
        }
    }

    func memberships(_ key: String, of name: ClassName, after last: Membership?, limit: Int) throws -> [Membership] {
        try calling {
            guard let number = catalog.entries[name]?.number else { return [] }
            let (owner, member) = (last?.owner.description ?? "", last?.member.description ?? "")
            let result = try run(
                """
                SELECT owner, member FROM relation WHERE class = \(number) AND key = \(key) \
                AND (owner, member) > (\(owner), \(member)) ORDER BY owner, member LIMIT \(Int64(limit))
                """
            )
            return (0..<result.count).compactMap { row in
                guard let owner = result.text(row, 0).flatMap(ObjectID.init),
                    let member = result.text(row, 1).flatMap(ObjectID.init)
                else { return nil }
                return Membership(owner: owner, member: member)
            }
        }
    }
}

extension PostgresResult {
    /// The object of a row of ``ConditionSQL/columns``.
    ///
    /// - Throws: ``BrokenRow`` for an invalid id, which only another program can have written.
    func object(_ row: Int) throws -> ObjectRow {
        guard let id = text(row, 0).flatMap(ObjectID.init), let created = integer(row, 1), let updated = integer(row, 2)
        else { throw BrokenRow(id: text(row, 0) ?? "") }
        return ObjectRow(
            id: id,
            createdAt: Timestamp(milliseconds: created),
            updatedAt: Timestamp(milliseconds: updated),
            acl: bytes(row, 3),
            body: bytes(row, 4) ?? []
        )
    }
}

struct BrokenRow: Error {
    let id: String
}
