internal import Domain
internal import GRDB

/// The transaction that changes a file to the items of a newer dump, one class after the other.
///
/// Rows wait in a temporary table until those that they replace are removed.
final class DatabaseDelta: DeltaTarget {
    private struct OpenClass {
        let table: ClassTable
        let schema: ClassSchema
        /// `nil` for a class that was created.
        var items: ClassItems?
        /// The indexes that the schema has and the table does not yet.
        let missing: [IndexDefinition]
        /// Whether a string of an object could contain U+0000 before.
        let hadZeros: Bool
        var hasZeros: Bool
        var hasIncoming = false
    }

    private let db: Database
    private let catalog: Catalog
    private let insertion: RowInsertion
    private var current: OpenClass?

    /// The table of the rows that wait.
    private static let incoming = "temp.incoming"

    init(_ db: Database) throws {
        self.db = db
        catalog = try Catalog(db)
        try db.execute(
            sql: """
                CREATE TABLE \(DatabaseDelta.incoming)
                    (number INTEGER PRIMARY KEY, id, created_at, updated_at, acl, body, checksum)
                """
        )
        insertion = try RowInsertion(into: DatabaseDelta.incoming, db)
    }

    func begin(_ name: ClassName, schema: [UInt8]) throws {
        let text = String(decoding: schema, as: UTF8.self)
        let parsed = try ClassSchema(name: name, stored: JSONValue(parsing: schema, field: "schema"))
        guard let known = catalog.entries[name] else {
            try db.execute(sql: "INSERT INTO class (name, schema) VALUES (?, ?)", arguments: ["\(name)", text])
            let table = ClassTable(number: db.lastInsertedRowID)
            try table.make(db)
            current = OpenClass(
                table: table,
                schema: parsed,
                missing: parsed.indexes,
                hadZeros: false,
                hasZeros: false
            )
            return
        }
        let table = ClassTable(number: known.number)
        try db.execute(sql: "UPDATE class SET schema = ? WHERE number = ?", arguments: [text, known.number])
        for index in known.schema.indexes where !parsed.indexes.contains(index) { try table.drop(index, db) }
        current = OpenClass(
            table: table,
            schema: parsed,
            items: try ClassItems(of: name, known.number, db),
            missing: parsed.indexes.filter { !known.schema.indexes.contains($0) },
            hadZeros: known.hasZeros,
            hasZeros: known.hasZeros
        )
    }

    func next() throws -> DumpItem? { try current?.items?.next() }

    func remove(_ item: DumpItem) throws {
        let table = try opened().table
        switch item {
        case .begin: break
        case .row(let number, _): try run("DELETE FROM \(table.name) WHERE number = ?", [number])
        case .membership(let field, let membership):
            try run(
                "DELETE FROM relation WHERE class = ? AND key = ? AND owner = ? AND member = ?",
                [table.number, field, "\(membership.owner)", "\(membership.member)"]
            )
        case .counter(let field, _):
            try run("DELETE FROM counter WHERE class = ? AND field = ?", [table.number, field])
        }
    }

    func add(_ item: DumpItem) throws {
        let table = try opened().table
        switch item {
        case .begin: break
        case .row(let number, let row):
            try insertion.run(row, number: number)
            current?.hasIncoming = true
            if row.body.hasEscapedZero { current?.hasZeros = true }
        case .membership(let field, let membership): try table.add(membership, of: field, db)
        case .counter(let field, let last): try table.add(counter: field, last, db)
        }
    }

    func end() throws {
        let opened = try opened()
        current = nil
        var missing = opened.missing
        if opened.hasZeros, !opened.hadZeros {
            try opened.table.markForZeros(db)
            // As `Catalog.noteZeros`: a unique index distinguishes such strings only if it was made for them.
            for index in opened.schema.indexes where index.isUnique && !missing.contains(index) {
                try opened.table.drop(index, db)
                missing.append(index)
            }
        }
        if opened.hasIncoming {
            let columns = "number, \(RowChecksum.columns.joined(separator: ", ")), \(RowChecksum.column)"
            try db.execute(
                sql: """
                    INSERT INTO \(opened.table.name) (\(columns)) SELECT \(columns) FROM \(DatabaseDelta.incoming);
                    DELETE FROM \(DatabaseDelta.incoming)
                    """
            )
        }
        for index in missing {
            try opened.table.makeLoaded(index, of: opened.schema, hasZeros: opened.hasZeros, db)
        }
    }

    private func opened() throws -> OpenClass {
        guard let current else { throw OpenFailure(message: "got a value before its class") }
        return current
    }

    private func run(_ statement: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: statement).execute(arguments: arguments)
    }
}

extension ClassTable {
    /// Inserts a member of a relation of one of the class's objects.
    func add(_ membership: Membership, of field: String, _ db: Database) throws {
        try db.cachedStatement(sql: "INSERT INTO relation (class, key, owner, member) VALUES (?, ?, ?, ?)")
            .execute(arguments: [number, field, "\(membership.owner)", "\(membership.member)"])
    }

    /// Inserts the last number of a field with auto-increment.
    func add(counter field: String, _ last: Int64, _ db: Database) throws {
        try db.cachedStatement(sql: "INSERT INTO counter (class, field, last) VALUES (?, ?, ?)")
            .execute(arguments: [number, field, last])
    }
}
