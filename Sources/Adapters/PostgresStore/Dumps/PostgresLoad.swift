package import Domain

/// An app's schema that has no objects yet, into which a dump is loaded in one transaction.
///
/// Rows are sent by `COPY`, one after the other; a table gets its indexes after its rows.
package struct PostgresLoad: DumpTarget {
    private let address: PostgresAddress

    /// The name in the log of changes; no server has it.
    private static let server = "load"

    /// Creates a load; connects nothing.
    ///
    /// - Parameter address: The app's schema, which is created if it does not exist.
    package init(into address: PostgresAddress) {
        self.address = address
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
        try OpenFailure.translating("cannot be written") {
            let connection = try PostgresConnection(address)
            try SchemaMigration.run(connection, schema: address.schema)
            connection.prepareForDump()
            connection.later("BEGIN ISOLATION LEVEL REPEATABLE READ")
            connection.later("LOCK TABLE turn IN EXCLUSIVE MODE")
            let count = try connection.run("SELECT count(*) FROM class").integer(0, 0) ?? 0
            guard count == 0 else {
                throw OpenFailure(
                    message: "has classes in its schema \(address.schema) already; only an empty schema can be filled"
                )
            }
            var loading = Loading(connection)
            try source.forEachItem { try loading.add($0) }
            try loading.end()
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
    /// The tables into which a `COPY` sends rows.
    private enum Table: Equatable {
        case objects(ClassTable)
        case relation
        case counter

        var statement: String {
            let target =
                switch self {
                case .objects(let table):
                    "\(table.name) (number, id, created_at, updated_at, acl, readers, body, keys)"
                case .relation: "relation (class, key, owner, member)"
                case .counter: "counter (class, field, last)"
                }
            return "COPY \(target) FROM STDIN WITH (FORMAT binary)"
        }
    }

    private struct OpenClass {
        let number: Int64
        let schema: ClassSchema
        var lastRow: Int64?

        var table: ClassTable { ClassTable(number) }
    }

    private let connection: PostgresConnection
    private var current: OpenClass?
    /// The table of the running `COPY`.
    private var copied: Table?
    private var rows = BinaryRows()

    /// The number of bytes that are sent together.
    private static let partSize = 1 << 16

    init(_ connection: PostgresConnection) {
        self.connection = connection
    }

    mutating func add(_ item: DumpItem) throws {
        switch item {
        case .begin(let name, let schema): try begin(name, schema)
        case .row(let number, let row): try add(row, number)
        case .membership(let field, let membership):
            let number = try copy(to: .relation)
            rows.beginRow(4)
            rows.add(number: number)
            rows.add(text: field)
            rows.add(text: membership.owner.description)
            rows.add(text: membership.member.description)
        case .counter(let field, let last):
            let number = try copy(to: .counter)
            rows.beginRow(3)
            rows.add(number: number)
            rows.add(text: field)
            rows.add(number: last)
        }
        try send(atLeast: Loading.partSize)
    }

    private mutating func begin(_ name: ClassName, _ schema: [UInt8]) throws {
        try end()
        let json = try JSONValue(parsing: schema, field: "schema")
        let result = try connection.run(
            "INSERT INTO class (name, schema) VALUES (\(name.description), \(text: schema)) RETURNING number"
        )
        let opened = OpenClass(number: result.integer(0, 0) ?? 0, schema: try ClassSchema(name: name, stored: json))
        opened.table.makeColumns(connection)
        current = opened
    }

    private mutating func add(_ row: ObjectRow, _ number: Int64) throws {
        guard let opened = current else { throw OpenFailure(message: "got a row before its class") }
        guard let object = try? row.object() else {
            let name = "\(opened.schema.name)/\(row.id)"
            throw OpenFailure(message: "cannot take the row \(number) (\(name)), whose ACL or body is no object")
        }
        try copy(to: .objects(opened.table))
        rows.beginRow(8)
        rows.add(number: number)
        rows.add(text: row.id.description)
        rows.add(number: row.createdAt.milliseconds)
        rows.add(number: row.updatedAt.milliseconds)
        rows.add(text: row.acl)
        rows.add(list: object.readers)
        rows.add(text: row.body)
        rows.add(json: ObjectKeys.encoded(object.fields))
        current?.lastRow = number
    }

    /// Ends the last class: its table gets its indexes.
    mutating func end() throws {
        try endCopy()
        guard let opened = current else { return }
        current = nil
        if let last = opened.lastRow, last > 0 {
            // The next object gets the number after it.
            try connection.run("SELECT setval(pg_get_serial_sequence(\(opened.table.name), 'number'), \(last))")
        }
        try opened.table.makeIndexes(connection)
        for index in opened.schema.indexes {
            do {
                try opened.table.make(index, of: opened.schema, connection)
            } catch let error as PostgresError where error.isDuplicate {
                let name = "\(index.name) of \(opened.schema.name)"
                throw OpenFailure(message: "cannot have the unique index \(name): \(error)")
            }
        }
        // Without statistics, plans of the first minutes are bad.
        if opened.lastRow != nil { try connection.run(SQL(text: "ANALYZE \(opened.table.name)")) }
    }

    /// Begins a `COPY` to a table unless it runs already; returns the number of the class.
    @discardableResult
    private mutating func copy(to table: Table) throws -> Int64 {
        guard let number = current?.number else { throw OpenFailure(message: "got a value before its class") }
        guard copied != table else { return number }
        try endCopy()
        try connection.beginCopy(table.statement)
        copied = table
        rows.addHeader()
        return number
    }

    private mutating func endCopy() throws {
        guard copied != nil else { return }
        copied = nil
        rows.addEnd()
        try send(atLeast: 0)
        try connection.endCopy()
    }

    private mutating func send(atLeast size: Int) throws {
        guard rows.bytes.count >= size else { return }
        try connection.sendCopy(rows.bytes)
        rows.removeAll()
    }
}
