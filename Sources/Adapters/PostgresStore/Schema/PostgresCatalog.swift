internal import Domain
internal import Synchronization

/// The schemas of an app's classes, and the numbers of their tables, at one version.
///
/// The table `class` stores it. Each server has a copy in memory, and each transaction compares its version with the
/// one in the database.
struct PostgresCatalog: Sendable {
    struct Entry: Sendable {
        /// The number in the name of the class's table: names in PostgreSQL are shorter than those of classes.
        let number: Int64
        var schema: ClassSchema

        var table: String { "class_\(number)" }
    }

    /// The number of changes of the catalog so far.
    private(set) var version: Int64 = -1
    private(set) var entries: [ClassName: Entry] = [:]
    /// Whether a transaction has changed it.
    private(set) var isChanged = false

    /// Creates an empty catalog, before the database is read.
    init() {}

    /// Reads the tables `state` and `class`.
    init(_ connection: PostgresConnection) throws {
        let result = try connection.run(
            "SELECT catalog_version, number, name, schema FROM state LEFT JOIN class ON true"
        )
        for row in 0..<result.count {
            version = result.integer(row, 0) ?? 0
            guard let number = result.integer(row, 1), let name = result.text(row, 2) else { continue }
            let json = try JSONValue(parsing: result.bytes(row, 3) ?? [], field: "schema")
            let className = try ClassName(name)
            entries[className] = Entry(number: number, schema: try ClassSchema(name: className, stored: json))
        }
    }

    /// Writes a class's row, and creates or changes its table and indexes to match.
    ///
    /// - Throws: ``MissingIndexes`` if the class has too many rows to build its new indexes in a transaction.
    mutating func save(_ schema: ClassSchema, _ connection: PostgresConnection, _ builder: IndexBuilder) throws {
        let text = schema.storedJSON.encoded()
        if let known = entries[schema.name] {
            try connection.run("UPDATE class SET schema = \(text: text) WHERE number = \(known.number)")
            let table = ClassTable(known.number)
            try table.change(
                removing: known.schema.indexes.filter { !schema.indexes.contains($0) },
                adding: schema.indexes.filter { !known.schema.indexes.contains($0) }.map {
                    ClassIndex($0, of: schema, on: table)
                },
                connection,
                builder
            )
            entries[schema.name]?.schema = schema
        } else {
            let name = schema.name.description
            let result = try connection.run(
                "INSERT INTO class (name, schema) VALUES (\(name), \(text: text)) RETURNING number"
            )
            let entry = Entry(number: result.integer(0, 0) ?? 0, schema: schema)
            let table = ClassTable(entry.number)
            try table.make(connection)
            for index in schema.indexes { try table.make(index, of: schema, connection) }
            entries[schema.name] = entry
        }
        try connection.run("UPDATE state SET catalog_version = \(version + 1)")
        isChanged = true
    }

    /// The catalog after the commit of the transaction that changed it.
    var committed: PostgresCatalog {
        guard isChanged else { return self }
        var catalog = self
        catalog.version += 1
        catalog.isChanged = false
        return catalog
    }
}

/// The table of one class, and the names of its indexes.
struct ClassTable: Equatable {
    let number: Int64
    var name: String { "class_\(number)" }

    init(_ number: Int64) {
        self.number = number
    }

    /// Creates the table with the indexes that every class has.
    func make(_ connection: PostgresConnection) throws {
        makeColumns(connection)
        try makeIndexes(connection)
    }

    /// Creates the table without indexes, for many rows that are loaded before ``makeIndexes(_:)``.
    func makeColumns(_ connection: PostgresConnection) {
        connection.later(
            """
            CREATE TABLE \(name) (
                number     bigint GENERATED ALWAYS AS IDENTITY,
                id         text COLLATE "C" NOT NULL,
                created_at bigint NOT NULL,
                updated_at bigint NOT NULL,
                acl        text,
                readers    text[] NOT NULL,
                body       text NOT NULL,
                keys       jsonb NOT NULL
            )
            """
        )
    }

    /// Creates the indexes that every class has.
    func makeIndexes(_ connection: PostgresConnection) throws {
        for statement in [
            "ALTER TABLE \(name) ADD PRIMARY KEY (number), ADD CONSTRAINT \(name)_id UNIQUE (id)",
            "CREATE INDEX \(name)_created ON \(name) (created_at)",
            "CREATE INDEX \(name)_updated ON \(name) (updated_at)",
            "CREATE INDEX \(name)_readers ON \(name) USING gin (readers)",
        ] {
            connection.later(statement)
        }
        try connection.flush()
    }

    func make(_ index: IndexDefinition, of schema: ClassSchema, _ connection: PostgresConnection) throws {
        try connection.run(SQL(text: ClassIndex(index, of: schema, on: self).statement()))
    }

    /// Changes the indexes of a table that can have rows, inside the turn.
    func change(
        removing former: [IndexDefinition],
        adding new: [ClassIndex],
        _ connection: PostgresConnection,
        _ builder: IndexBuilder
    ) throws {
        guard !former.isEmpty || !new.isEmpty else { return }
        let missing = try new.filter { try !builder.isReady($0) || !$0.isValid(connection) }
        if !missing.isEmpty || !former.isEmpty {
            // With the turn it would wait for the end of the building.
            let isFree = try connection.run("SELECT pg_try_advisory_xact_lock_shared(\(builder.lockKey))").boolean(0, 0)
            guard isFree else { throw IndexBuilder.busy }
        }
        let count = missing.isEmpty ? 0 : try rowCount(upTo: builder.quickRows + 1, connection)
        guard count <= builder.quickRows else { throw MissingIndexes(indexes: missing) }
        // A removal waits for everything that reads the class, such as a dump, and queries on the class wait for it.
        connection.later("SET LOCAL lock_timeout = '\(ClassTable.removalTime)'")
        for index in former {
            try connection.run(SQL(text: "DROP INDEX \(name(of: index))"))
        }
        // One that a killed server has left.
        for index in missing { connection.later("DROP INDEX IF EXISTS \(index.name)") }
        connection.later("SET LOCAL lock_timeout = '\(builder.lockTime)'")
        for index in missing { try connection.run(SQL(text: index.statement())) }
        if count > 0 { connection.later("ANALYZE \(name)") }
    }

    /// How long the removal of an index waits for what reads the class.
    private static let removalTime = "1s"

    private func rowCount(upTo limit: Int, _ connection: PostgresConnection) throws -> Int {
        let statement = "SELECT count(*) FROM (SELECT 1 FROM \(name) LIMIT \(limit)) AS counted"
        return Int(try connection.run(SQL(text: statement)).integer(0, 0) ?? 0)
    }

    /// The field of a unique index that refused a value; `nil` if the id is taken.
    ///
    /// An index that is being built refuses values, too, and the schema does not name it yet.
    func field(refusedBy constraint: String?, in schema: ClassSchema) -> String? {
        let building = schema.fields.keys.lazy.map { IndexDefinition(fields: [FieldPath(field: $0)], isUnique: true) }
        return schema.indexes.first { $0.isUnique && name(of: $0) == constraint }?.name
            ?? building.first { name(of: $0) == constraint }?.name
    }

    /// The name of an index: a digest of its paths, because names in PostgreSQL have at most 63 bytes.
    func name(of index: IndexDefinition) -> String {
        // FNV-1a with 64 bits.
        let digest = "\(index.isUnique)\(index.name)".utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return "\(name)_\(String(digest, radix: 16))"
    }
}

/// The catalog after the last commit that this server knows, for new transactions.
final class SharedPostgresCatalog: Sendable {
    private struct State {
        var catalog: PostgresCatalog
        /// The timeline of the connection that has read or changed it.
        var timeline = 0
    }

    private let state: Mutex<State>

    init(_ catalog: PostgresCatalog) {
        state = Mutex(State(catalog: catalog))
    }

    var current: PostgresCatalog { state.withLock(\.catalog) }

    /// Replaces the catalog by one of a later timeline, or by a later one of the same (``TimelineCheck``).
    func publish(_ new: PostgresCatalog, in timeline: Int) {
        state.withLock { state in
            guard (timeline, new.version) > (state.timeline, state.catalog.version) else { return }
            state = State(catalog: new, timeline: timeline)
        }
    }

    /// Reads the catalog of the database, and publishes it.
    @discardableResult
    func refresh(_ connection: PostgresConnection) throws -> PostgresCatalog {
        let new = try PostgresCatalog(connection)
        publish(new, in: connection.timeline)
        return new
    }
}
