internal import Domain
internal import GRDB

/// The schemas of an app's classes, and the numbers of their tables.
///
/// The table `class` stores it; a copy in memory saves a query for each read.
struct Catalog: Sendable {
    struct Entry: Sendable {
        /// The number in the name of the class's table: names of tables are not case-sensitive, those of classes are.
        let number: Int64
        var schema: ClassSchema
        /// Whether a string of an object can contain U+0000, at which SQLite ends a string that it extracts.
        var hasZeros = false
    }

    private(set) var entries: [ClassName: Entry] = [:]

    /// Creates an empty catalog, before the database is read.
    init() {}

    /// Reads the table `class`.
    ///
    /// - Throws: ``DamagedCatalog`` for a row that lcfile did not write, and errors of SQLite.
    init(_ db: Database) throws {
        let broken = try read(db)
        guard broken.isEmpty else { throw DamagedCatalog(rows: broken) }
    }

    /// Reads the rows of the table `class` that can be read.
    ///
    /// - Returns: The catalog, and the damage; `nil` if there is none.
    static func readable(_ db: Database) throws -> (Catalog, DamagedCatalog?) {
        var catalog = Catalog()
        let broken = try catalog.read(db)
        return (catalog, broken.isEmpty ? nil : DamagedCatalog(rows: broken))
    }

    /// Adds the rows that can be read; returns the numbers of the others.
    private mutating func read(_ db: Database) throws -> [Int64] {
        let marked = try ClassTable.markedForZeros(db)
        var broken: [Int64] = []
        for row in try Row.fetchAll(db, sql: "SELECT number, name, schema FROM class ORDER BY number") {
            let table = ClassTable(number: row["number"])
            // Without GRDB's conversion, which ends the process for a value of another type.
            guard let text = String.fromDatabaseValue(row["name"] as DatabaseValue), let name = try? ClassName(text),
                let stored = String.fromDatabaseValue(row["schema"] as DatabaseValue),
                let json = try? JSONValue(parsing: Array(stored.utf8), field: "schema"),
                let schema = try? ClassSchema(name: name, stored: json)
            else {
                broken.append(table.number)
                continue
            }
            entries[name] = Entry(number: table.number, schema: schema, hasZeros: marked.contains(table.name))
        }
        return broken
    }

    /// Writes a class's row, and creates or changes its table and indexes to match.
    mutating func save(_ schema: ClassSchema, _ db: Database) throws {
        let text = String(decoding: schema.storedJSON.encoded(), as: UTF8.self)
        if let known = entries[schema.name] {
            try db.execute(sql: "UPDATE class SET schema = ? WHERE number = ?", arguments: [text, known.number])
            let table = ClassTable(number: known.number)
            for index in known.schema.indexes where !schema.indexes.contains(index) { try table.drop(index, db) }
            for index in schema.indexes where !known.schema.indexes.contains(index) {
                try table.make(index, of: schema, hasZeros: known.hasZeros, db)
            }
            entries[schema.name]?.schema = schema
        } else {
            try db.execute(
                sql: "INSERT INTO class (name, schema) VALUES (?, ?)",
                arguments: [schema.name.description, text]
            )
            let entry = Entry(number: db.lastInsertedRowID, schema: schema)
            try ClassTable(number: entry.number).make(db)
            for index in schema.indexes { try ClassTable(number: entry.number).make(index, of: schema, db) }
            entries[schema.name] = entry
        }
    }

    /// Notes that an object of a class is about to get a string with U+0000, once for each class.
    ///
    /// From then on queries of the class compare such strings with Domain's own tests (``ConditionSQL``), and unique
    /// indexes distinguish them. Classes without them, which is nearly all, have neither cost. A query that began
    /// before the first such object was committed can take its string for one that ends at U+0000.
    mutating func noteZeros(in name: ClassName, _ db: Database) throws {
        guard let entry = entries[name], !entry.hasZeros else { return }
        let table = ClassTable(number: entry.number)
        try table.markForZeros(db)
        for index in entry.schema.indexes where index.isUnique {
            try table.drop(index, db)
            try table.make(index, of: entry.schema, hasZeros: true, db)
        }
        entries[name]?.hasZeros = true
    }
}

/// Rows of the table `class` are not what lcfile wrote: their names or schemas cannot be read.
struct DamagedCatalog: Error, CustomStringConvertible {
    /// The numbers of the classes.
    let rows: [Int64]

    /// Names the first row.
    var description: String {
        "the name or the schema of row \(rows.first ?? 0) of the table class cannot be read"
            + (rows.count > 1 ? ", and of \(rows.count - 1) others" : "")
    }
}

/// The table of one class, and the names of its indexes.
struct ClassTable {
    let number: Int64

    var name: String { "class_\(number)" }

    /// Creates the table with the indexes that every class has.
    func make(_ db: Database) throws {
        try makeColumns(db)
        try makeIndexes(db)
    }

    /// Creates the table with the index of the ids, for many rows that are loaded before ``makeIndexes(_:)``.
    func makeColumns(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE \(name) (
                    number     INTEGER PRIMARY KEY,
                    id         TEXT NOT NULL UNIQUE,
                    created_at INTEGER NOT NULL,
                    updated_at INTEGER NOT NULL,
                    acl        TEXT,
                    body       TEXT NOT NULL,
                    checksum   INTEGER
                ) STRICT
                """
        )
    }

    /// Creates the indexes that every class has.
    func makeIndexes(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE INDEX \(name)_created ON \(name) (created_at);
                CREATE INDEX \(name)_updated ON \(name) (updated_at);
                """
        )
    }

    /// Creates an index; a unique one distinguishes strings with U+0000 only with `hasZeros`.
    func make(_ index: IndexDefinition, of schema: ClassSchema, hasZeros: Bool = false, _ db: Database) throws {
        var terms = index.fields.map { SQLPath.indexed($0, in: schema) }
        if index.isUnique, hasZeros { terms += index.fields.map(SQLPath.zeros) }
        let kind = index.isUnique ? "UNIQUE INDEX" : "INDEX"
        try db.execute(
            sql: "CREATE \(kind) \"\(identifier(of: index))\" ON \(name) (\(terms.joined(separator: ", ")))"
        )
    }

    /// Stores that strings of the class can contain U+0000: as an index of the objects with such a string.
    func markForZeros(_ db: Database) throws {
        try db.execute(sql: "CREATE INDEX \(name)_zeros ON \(name) (number) WHERE \(SQLPath.bodyHasZeros)")
    }

    /// The names of the tables for which ``markForZeros(_:)`` was called.
    static func markedForZeros(_ db: Database) throws -> Set<String> {
        try String.fetchSet(
            db,
            sql: "SELECT tbl_name FROM sqlite_master WHERE type = 'index' AND name = tbl_name || '_zeros'"
        )
    }

    func drop(_ index: IndexDefinition, _ db: Database) throws {
        try db.execute(sql: "DROP INDEX \"\(identifier(of: index))\"")
    }

    /// The field of a unique index that rejected a value, from SQLite's message.
    func field(refusedBy message: String, in schema: ClassSchema) -> String? {
        schema.indexes.first { $0.isUnique && message.contains("'\(identifier(of: $0))'") }?.name
    }

    /// The name of an index.
    ///
    /// Indexed paths contain letters and digits of any script, `_`, dots and a comma, so only capitals need escaping:
    /// names of indexes are not case-sensitive, those of fields are.
    private func identifier(of index: IndexDefinition) -> String {
        let fields = index.name.map { $0.isUppercase ? "^\($0.lowercased())" : "\($0)" }.joined()
        return "\(name) \(index.isUnique ? "unique " : "")\(fields)"
    }
}
