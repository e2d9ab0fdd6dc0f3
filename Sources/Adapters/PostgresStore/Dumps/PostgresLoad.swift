package import Domain

/// An app's schema that gets the items of a dump in one transaction.
///
/// Rows are sent by `COPY`, one after the other; in an empty schema a table gets its indexes after its rows.
package struct PostgresLoad: DumpTarget {
    private let address: PostgresAddress
    private let mark: String?

    /// The name in the log of changes; no server has it.
    private static let server = "load"

    /// Creates a load; connects nothing.
    ///
    /// - Parameters:
    ///   - address: The app's schema, which is created if it does not exist.
    ///   - mark: The id that the schema gets, so that it is known as a copy; `nil` for a random one.
    package init(into address: PostgresAddress, markedAs mark: String? = nil) {
        self.address = address
        self.mark = mark
    }

    /// Whether the schema exists and has classes.
    ///
    /// - Throws: ``OpenFailure`` if it cannot be reached.
    package func isFilled() throws -> Bool {
        try OpenFailure.translating("cannot be read") {
            let connection = try PostgresConnection(address)
            guard try !connection.run("SELECT to_regclass('class')").isNull(0, 0) else { return false }
            return try connection.run("SELECT EXISTS (SELECT 1 FROM class)").boolean(0, 0)
        }
    }

    /// Loads all items while no server changes the schema, and reads them back before the commit.
    ///
    /// Servers that run on the empty schema hear that they missed changes, and read the new catalog.
    package func load(_ source: any DumpSource, confirmedBy check: (any DumpSource) throws -> Void) throws {
        try transact(confirmedBy: check) { connection in
            let count = try connection.run("SELECT count(*) FROM class").integer(0, 0) ?? 0
            guard count == 0 else {
                throw OpenFailure(
                    message: "has classes in its schema \(address.schema) already; only an empty schema can be filled"
                )
            }
            var loading = Loading(connection)
            try source.forEachItem { try loading.add($0) }
            try loading.end()
            if let mark { try connection.run("UPDATE identity SET id = \(mark)") }
        }
    }

    /// Changes the items of the schema while no server does, and reads all of them back before the commit.
    ///
    /// Without a mark the schema gets a new random id: it is no copy any more.
    package func update(to source: any DumpSource, confirmedBy check: (any DumpSource) throws -> Void) throws {
        try transact(confirmedBy: check) { connection in
            let reader = try PostgresConnection(address)
            reader.prepareForDump()
            var delta = DumpDelta(try PostgresDelta(connection, reader: reader))
            try source.forEachItem { try delta.add($0) }
            try delta.end()
            try PostgresDelta.finish(connection)
            let mark = mark.map { Array($0.utf8) }
            try connection.run(
                "UPDATE identity SET id = coalesce(\(text: mark), replace(gen_random_uuid()::text, '-', ''))"
            )
        }
    }

    /// Runs a transaction that holds the turn.
    private func transact(
        confirmedBy check: (any DumpSource) throws -> Void,
        _ body: (PostgresConnection) throws -> Void
    ) throws {
        try OpenFailure.translating("cannot be written") {
            let connection = try PostgresConnection(address)
            try SchemaMigration.run(connection, schema: address.schema)
            connection.prepareForDump()
            connection.later("BEGIN ISOLATION LEVEL REPEATABLE READ")
            connection.takeTurn()
            try connection.flush()
            try body(connection)
            try announce(connection)
            try check(PostgresDump(within: connection, address))
            connection.later("COMMIT")
            try connection.flush()
        }
    }

    /// Gives the catalog and the changes new numbers, and notifies servers.
    private func announce(_ connection: PostgresConnection) throws {
        connection.later(
            """
            UPDATE state SET catalog_version = catalog_version + 1, last_change = last_change + 1, \
            callers = last_change + 1
            """
        )
        try connection.run(
            """
            INSERT INTO change_log (number, server, changes) \
            SELECT last_change, \(PostgresLoad.server), NULL FROM state
            """
        )
        try connection.run("SELECT pg_notify(\(ChangeListener.channel(address)), \(PostgresLoad.server))")
    }
}

/// The classes of a dump on their way into their tables.
private struct Loading {
    private struct OpenClass {
        let number: Int64
        let schema: ClassSchema
        var hasRows = false

        var table: ClassTable { ClassTable(number) }
    }

    private let connection: PostgresConnection
    private var current: OpenClass?
    private var copy: TableCopy

    init(_ connection: PostgresConnection) {
        self.connection = connection
        copy = TableCopy(connection)
    }

    mutating func add(_ item: DumpItem) throws {
        if case .begin(let name, let schema) = item { return try begin(name, schema) }
        guard let current else { throw OpenFailure(message: "got a value before its class") }
        switch item {
        case .begin: break
        case .row(let number, let row):
            try copy.add(row, number, of: current.schema.name, to: current.table.name)
            self.current?.hasRows = true
        case .membership(let field, let membership):
            try copy.add(membership, of: field, class: current.number, to: "relation")
        case .counter(let field, let last): try copy.add(counter: field, last, class: current.number)
        }
    }

    private mutating func begin(_ name: ClassName, _ schema: [UInt8]) throws {
        try end()
        let table = try ClassTable.insert(name, schema, connection)
        table.makeColumns(connection)
        let json = try JSONValue(parsing: schema, field: "schema")
        current = OpenClass(number: table.number, schema: try ClassSchema(name: name, stored: json))
    }

    /// Ends the last class: its table gets its indexes.
    mutating func end() throws {
        try copy.end()
        guard let opened = current else { return }
        current = nil
        if opened.hasRows { try opened.table.continueNumbers(connection) }
        try opened.table.makeIndexes(connection)
        for index in opened.schema.indexes { try opened.table.makeLoaded(index, of: opened.schema, connection) }
        // Without statistics, plans of the first minutes are bad.
        if opened.hasRows { try connection.run(SQL(text: "ANALYZE \(opened.table.name)")) }
    }
}

/// What tables of a dump need.
extension ClassTable {
    /// Inserts the row of a new class; its table does not exist yet.
    static func insert(_ name: ClassName, _ schema: [UInt8], _ connection: PostgresConnection) throws -> ClassTable {
        let result = try connection.run(
            "INSERT INTO class (name, schema) VALUES (\(name.description), \(text: schema)) RETURNING number"
        )
        return ClassTable(result.integer(0, 0) ?? 0)
    }

    /// Gives the next object the number after the last one.
    func continueNumbers(_ connection: PostgresConnection) throws {
        let last = "(SELECT max(number) FROM \(name))"
        try connection.run(
            "SELECT setval(pg_get_serial_sequence(\(name), 'number'), greatest(1, \(sql: last)))"
        )
    }

    /// Creates an index of rows that come from a dump.
    ///
    /// - Throws: ``OpenFailure`` if two rows have a value that a unique index allows once.
    func makeLoaded(_ index: IndexDefinition, of schema: ClassSchema, _ connection: PostgresConnection) throws {
        do {
            try make(index, of: schema, connection)
        } catch let error as PostgresError where error.isDuplicate {
            let name = "\(index.name) of \(schema.name)"
            throw OpenFailure(message: "cannot have the unique index \(name): \(error)")
        }
    }
}
