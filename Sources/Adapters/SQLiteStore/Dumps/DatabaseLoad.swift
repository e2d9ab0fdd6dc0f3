package import Domain
internal import GRDB
internal import Glibc

/// A database file that gets the items of a dump in one transaction.
package struct DatabaseLoad: DumpTarget {
    private let path: String

    /// The memory in KiB with which SQLite sorts the entries of an index.
    private static let cacheSize = 64 << 10

    /// Creates the access to a file; opens nothing.
    ///
    /// - Parameter path: The file, which must not exist for ``load(_:confirmedBy:)`` and must for
    ///   ``update(to:confirmedBy:)``.
    package init(into path: String) {
        self.path = path
    }

    /// Creates the file with all migrations, fills it, and reads it back.
    ///
    /// On return the file is plain, without a write-ahead log, and on the disk with its name; after an error there is no
    /// file. Until then its name should be one that no server opens, because a process that ends leaves it incomplete.
    package func load(_ source: any DumpSource, confirmedBy check: (any DumpSource) throws -> Void) throws {
        guard access(path, F_OK) != 0 else { throw OpenFailure(message: "exists already") }
        do {
            try write { db in
                let loading = try Loading(db)
                try source.forEachItem { try loading.add($0) }
                try loading.end()
            }
            try confirm(by: check)
        } catch {
            remove()
            throw error
        }
    }

    /// Changes a file that a load has filled, and reads it back.
    ///
    /// On return the file is plain and on the disk, with the new items. If the transaction fails, the file has the former
    /// ones; if the check does, there is no file.
    package func update(to source: any DumpSource, confirmedBy check: (any DumpSource) throws -> Void) throws {
        guard access(path, F_OK) == 0 else { throw OpenFailure(message: "does not exist") }
        try write { db in
            var delta = DumpDelta(try DatabaseDelta(db))
            try source.forEachItem { try delta.add($0) }
            try delta.end()
        }
        do {
            try confirm(by: check)
        } catch {
            remove()
            throw error
        }
    }

    /// Opens the file with all migrations, runs a transaction, and closes it.
    private func write(_ body: (Database) throws -> Void) throws {
        try translating {
            let queue = try DatabaseQueue(path: path, configuration: DatabaseCopy.configuration(readonly: false))
            try DatabaseCopy.refuseNewer(queue)
            try DatabaseMigrator.lcfile.migrate(queue)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -\(DatabaseLoad.cacheSize)")
                try db.inTransaction {
                    try body(db)
                    return .commit
                }
            }
            try queue.close()
        }
    }

    private func confirm(by check: (any DumpSource) throws -> Void) throws {
        try synchronize()
        let copy = try DatabaseCopy(reading: path)
        try translating { try check(copy) }
        try copy.close()
    }

    private func remove() {
        for end in ["", "-journal"] { unlink(path + end) }
    }

    private func translating(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as DatabaseError {
            throw OpenFailure(message: "cannot be written (\(DatabaseCopy.line(error)))")
        }
    }

    private func synchronize() throws {
        let slash = path.lastIndex(of: "/")
        for name in [path, slash.map { String(path[...$0]) } ?? "."] {
            let file = open(name, O_RDONLY | O_CLOEXEC)
            defer { Glibc.close(file) }
            guard file >= 0, fsync(file) == 0 else {
                throw OpenFailure(message: "cannot be synced (\(String(cString: strerror(errno))))")
            }
        }
    }
}

/// The classes of a dump on their way into their tables; those that the migrations made keep their numbers.
private final class Loading {
    private struct OpenClass {
        let table: ClassTable
        let schema: ClassSchema
        let insertion: RowInsertion
        /// Whether a string of a loaded object can contain U+0000.
        var hasZeros = false
    }

    private let db: Database
    /// The classes that the migrations made.
    private let made: Catalog
    private var current: OpenClass?

    /// Begins with empty tables: a migration makes the row of the usage.
    init(_ db: Database) throws {
        self.db = db
        made = try Catalog(db)
        for entry in made.entries.values {
            try db.execute(sql: "DELETE FROM \(ClassTable(number: entry.number).name)")
        }
        try db.execute(sql: "DELETE FROM checksum_backlog")
    }

    func add(_ item: DumpItem) throws {
        if case .begin(let name, let schema) = item { return try begin(name, schema) }
        guard let current else { throw OpenFailure(message: "got a value before its class") }
        switch item {
        case .begin: break
        case .row(let number, let row):
            try current.insertion.run(row, number: number)
            if !current.hasZeros, row.body.hasEscapedZero { self.current?.hasZeros = true }
        case .membership(let field, let membership):
            try current.table.add(membership, of: field, db)
        case .counter(let field, let last): try current.table.add(counter: field, last, db)
        }
    }

    private func begin(_ name: ClassName, _ schema: [UInt8]) throws {
        try end()
        let text = String(decoding: schema, as: UTF8.self)
        let parsed = try ClassSchema(name: name, stored: JSONValue(parsing: schema, field: "schema"))
        let table: ClassTable
        if let entry = made.entries[name] {
            table = ClassTable(number: entry.number)
            try db.execute(sql: "UPDATE class SET schema = ? WHERE number = ?", arguments: [text, entry.number])
            try dropIndexes(of: table)
        } else {
            try db.execute(sql: "INSERT INTO class (name, schema) VALUES (?, ?)", arguments: [name.description, text])
            table = ClassTable(number: db.lastInsertedRowID)
            try table.makeColumns(db)
        }
        current = OpenClass(table: table, schema: parsed, insertion: try RowInsertion(into: table.name, db))
    }

    /// Ends the last class: its table gets its indexes.
    func end() throws {
        guard let opened = current else { return }
        current = nil
        try opened.table.makeIndexes(db)
        if opened.hasZeros { try opened.table.markForZeros(db) }
        for index in opened.schema.indexes {
            try opened.table.makeLoaded(index, of: opened.schema, hasZeros: opened.hasZeros, db)
        }
    }

    /// All but the one of the ids, which belongs to the table.
    private func dropIndexes(of table: ClassTable) throws {
        let names = try String.fetchAll(
            db,
            sql: "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
            arguments: [table.name]
        )
        for name in names { try db.execute(sql: "DROP INDEX \(name.quotedDatabaseIdentifier)") }
    }
}

extension ClassTable {
    /// Creates an index of rows that come from a dump.
    ///
    /// - Throws: ``OpenFailure`` if two rows have a value that a unique index allows once.
    func makeLoaded(_ index: IndexDefinition, of schema: ClassSchema, hasZeros: Bool, _ db: Database) throws {
        do {
            try make(index, of: schema, hasZeros: hasZeros, db)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            let name = "\(index.name) of \(schema.name)"
            throw OpenFailure(message: "cannot have the unique index \(name): \(DatabaseCopy.line(error))")
        }
    }
}
