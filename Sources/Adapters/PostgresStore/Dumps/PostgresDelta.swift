internal import Domain

/// The transaction that changes a schema to the items of a newer dump, one class after the other.
///
/// A second connection reads what the schema had, because the first one sends what differs meanwhile. No server changes
/// the schema, so both see the same rows. A table's indexes are changed when it has been read: the lock of that lasts to
/// the end of the transaction, and the reader would wait for it.
struct PostgresDelta: DeltaTarget {
    private struct OpenClass {
        let table: ClassTable
        let schema: ClassSchema
        /// `nil` for a class that was created.
        var items: CopiedItems?
        /// The indexes that the table has and the schema does not any more.
        var former: [IndexDefinition] = []
        /// The indexes that the schema has and the table does not yet.
        let missing: [IndexDefinition]
        var hasRows = false
        var hasMemberships = false
    }

    private let connection: PostgresConnection
    private let reader: PostgresConnection
    private let classes: PostgresCatalog
    private var copy: TableCopy
    private var current: OpenClass?

    /// The table of the rows that are removed and added: a removed one has only a number.
    private static let incoming = "incoming"
    /// The table of the memberships that are removed and added: a removed one has no class.
    private static let incomingRelation = "incoming_relation"

    /// Begins.
    ///
    /// - Parameters:
    ///   - connection: In a transaction that holds the turn.
    ///   - reader: Another one to the same schema.
    /// - Throws: `PostgresError`.
    init(_ connection: PostgresConnection, reader: PostgresConnection) throws {
        self.connection = connection
        self.reader = reader
        classes = try PostgresCatalog(connection)
        copy = TableCopy(connection)
        for statement in [
            """
            CREATE UNLOGGED TABLE \(PostgresDelta.incoming) (
                number bigint, id text, created_at bigint, updated_at bigint, acl text, readers text[], \
                body text, keys jsonb
            )
            """,
            """
            CREATE UNLOGGED TABLE \(PostgresDelta.incomingRelation) (
                class bigint, key text COLLATE "C", owner text COLLATE "C", member text COLLATE "C"
            )
            """,
        ] {
            connection.later(statement)
        }
        try connection.flush()
    }

    mutating func begin(_ name: ClassName, schema: [UInt8]) throws {
        let json = try JSONValue(parsing: schema, field: "schema")
        let parsed = try ClassSchema(name: name, stored: json)
        guard let known = classes.entries[name] else {
            let table = try ClassTable.insert(name, schema, connection)
            try table.make(connection)
            current = OpenClass(table: table, schema: parsed, missing: parsed.indexes)
            return
        }
        let table = ClassTable(known.number)
        try connection.run("UPDATE class SET schema = \(text: schema) WHERE number = \(known.number)")
        current = OpenClass(
            table: table,
            schema: parsed,
            items: CopiedItems(of: name, known.number, reader),
            former: known.schema.indexes.filter { !parsed.indexes.contains($0) },
            missing: parsed.indexes.filter { !known.schema.indexes.contains($0) }
        )
    }

    mutating func next() throws -> DumpItem? { try current?.items?.next() }

    mutating func remove(_ item: DumpItem) throws {
        let table = try opened().table
        switch item {
        case .begin: break
        case .row(let number, _):
            try copy.add(emptyRow: number, to: PostgresDelta.incoming)
            current?.hasRows = true
        case .membership(let field, let membership):
            try copy.add(membership, of: field, class: nil, to: PostgresDelta.incomingRelation)
            current?.hasMemberships = true
        case .counter(let field, _):
            try copy.end()
            try connection.run("DELETE FROM counter WHERE class = \(table.number) AND field = \(field)")
        }
    }

    mutating func add(_ item: DumpItem) throws {
        let opened = try opened()
        switch item {
        case .begin: break
        case .row(let number, let row):
            try copy.add(row, number, of: opened.schema.name, to: PostgresDelta.incoming)
            current?.hasRows = true
        case .membership(let field, let membership):
            try copy.add(membership, of: field, class: opened.table.number, to: PostgresDelta.incomingRelation)
            current?.hasMemberships = true
        case .counter(let field, let last): try copy.add(counter: field, last, class: opened.table.number)
        }
    }

    mutating func end() throws {
        try copy.end()
        let opened = try opened()
        current = nil
        for index in opened.former { connection.later("DROP INDEX \(opened.table.name(of: index))") }
        if opened.hasRows { try changeRows(of: opened.table) }
        if opened.hasMemberships { try changeMemberships(of: opened.table) }
        for index in opened.missing { try opened.table.makeLoaded(index, of: opened.schema, connection) }
    }

    /// Removes the tables of the transaction.
    static func finish(_ connection: PostgresConnection) throws {
        connection.later("DROP TABLE \(incoming), \(incomingRelation)")
        try connection.flush()
    }

    private func opened() throws -> OpenClass {
        guard let current else { throw OpenFailure(message: "got a value before its class") }
        return current
    }

    private func changeRows(of table: ClassTable) throws {
        let (name, incoming) = (table.name, PostgresDelta.incoming)
        let columns = "number, id, created_at, updated_at, acl, readers, body, keys"
        connection.later("DELETE FROM \(name) USING \(incoming) AS new WHERE \(name).number = new.number")
        connection.later(
            """
            INSERT INTO \(name) (\(columns)) OVERRIDING SYSTEM VALUE \
            SELECT \(columns) FROM \(incoming) WHERE id IS NOT NULL
            """
        )
        connection.later("TRUNCATE \(incoming)")
        do {
            try table.continueNumbers(connection)
        } catch let error as PostgresError where error.isDuplicate {
            throw OpenFailure(message: "cannot have two objects with one value of a unique index: \(error)")
        }
    }

    private func changeMemberships(of table: ClassTable) throws {
        let incoming = PostgresDelta.incomingRelation
        connection.later(
            """
            DELETE FROM relation AS old USING \(incoming) AS new WHERE new.class IS NULL \
            AND old.class = \(table.number) AND (old.key, old.owner, old.member) = (new.key, new.owner, new.member)
            """
        )
        connection.later(
            """
            INSERT INTO relation (class, key, owner, member) \
            SELECT class, key, owner, member FROM \(incoming) WHERE class IS NOT NULL
            """
        )
        connection.later("TRUNCATE \(incoming)")
        try connection.flush()
    }
}
