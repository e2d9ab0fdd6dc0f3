internal import Domain
internal import GRDB
internal import SQLiteStore

/// One database from both sides: through the services as the server has them, and by SQL.
struct Subject: Sendable {
    let item: ClassName
    let owner: ClassName
    let objects: ObjectService
    let files: FileRecords
    let caller: Caller
    let sql: DirectSQL
    private let database: SQLiteDatabase
    private let store: SQLiteObjectStore

    /// Opens a database; without a cache of rows, so that each call asks the database as the SQL beside it does.
    init(path: String, rowCache: Int = 0) throws {
        guard let app = AppID("bench") else { throw Failure("'bench' is no app id") }
        item = try ClassName("Item")
        owner = try ClassName("Owner")
        caller = Caller(app: app)
        database = try SQLiteDatabase(path: path, rowCache: rowCache)
        store = SQLiteObjectStore(database)
        files = FileRecords(store)
        let presentation = FilePresentation(publicURL: "http://127.0.0.1:8080", bucket: app.bucket)
        objects = ObjectService(
            store: store,
            settings: ObjectSettings(
                files: presentation,
                accountDependencies: AccountDependencies(changes: store.changes, hasher: NoPasswords())
            )
        )
        sql = try DirectSQL(path: path)
    }

    func close() throws {
        try sql.close()
        try database.close()
    }

    /// `Item` has ten fields and an index on a number and on a string.
    func makeClasses() async throws {
        let people = ClassSchema(name: owner, fields: ["name": FieldDefinition(.string)])
        let items = ClassSchema(
            name: item,
            fields: [
                "title": FieldDefinition(.string), "code": FieldDefinition(.string),
                "rank": FieldDefinition(.number), "stars": FieldDefinition(.number), "price": FieldDefinition(.number),
                "done": FieldDefinition(.boolean), "due": FieldDefinition(.date),
                "owner": FieldDefinition(.pointer(owner)), "tags": FieldDefinition(.array),
                "profile": FieldDefinition(.object),
            ],
            indexes: [
                IndexDefinition(fields: [FieldPath(field: "rank")]),
                IndexDefinition(fields: [FieldPath(field: "code")]),
            ]
        )
        try await store.write { writer in
            try writer.save(people)
            try writer.save(items)
        }
    }

    func tables() throws -> Tables {
        Tables(item: try sql.table(of: item), owner: try sql.table(of: owner), file: try sql.table(of: .file))
    }
}

/// The names of the classes' tables.
struct Tables: Sendable {
    let item: String
    let owner: String
    let file: String
}

/// The benchmark has no users.
private struct NoPasswords: PasswordHasher {
    func hash(_ password: Password, for caller: CallerIdentity) throws -> PasswordHash {
        throw Failure("there are no passwords here")
    }

    func verify(_ password: Password, against hash: PasswordHash?, for caller: CallerIdentity) -> PasswordComparison {
        .wrong
    }
}

/// A statement as the store writes it, and its arguments.
struct Question: Sendable {
    let sql: String
    let arguments: StatementArguments
    /// Whether the answer is a number in the first row, instead of how many rows there are.
    var isCount = false
}

/// SQL through GRDB and nothing else; also how rows come in by the million.
struct DirectSQL: Sendable {
    private let pool: DatabasePool

    /// Opens a database that is there, with as many readers as the store has.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 4
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { try RowChecksum.add(to: $0) }
        pool = try DatabasePool(path: path, configuration: configuration)
        // For the connection that fills alone: the store's writer syncs as it always does.
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -262144")
        }
    }

    func close() throws {
        try pool.close()
    }

    /// Asks all in one read, copies the rows out, and returns what the first question found.
    func answer(_ questions: [Question]) async throws -> Int {
        try await pool.read { db in
            var found: [Int] = []
            for question in questions {
                let statement = try db.cachedStatement(sql: question.sql)
                let rows = try Row.fetchAll(statement, arguments: question.arguments)
                found.append(question.isCount ? rows[0][0] as Int : rows.count)
            }
            return found[0]
        }
    }

    func table(of name: ClassName) throws -> String {
        let number: Int64? = try pool.read { db in
            try Int64.fetchOne(db, sql: "SELECT number FROM class WHERE name = ?", arguments: [name.description])
        }
        guard let number else { throw Failure("the class \(name) is not there; run 'measure' first") }
        return "class_\(number)"
    }

    /// Every id, in the order in which the objects were made.
    func ids(of table: String) throws -> [ObjectID] {
        let texts: [String] = try pool.read { db in
            try String.fetchAll(db, sql: "SELECT id FROM \(table) ORDER BY number")
        }
        return texts.compactMap { ObjectID($0) }
    }

    /// The first column of the first row.
    func text(_ sql: String) throws -> String {
        try pool.read { db in try String.fetchOne(db, sql: sql) } ?? ""
    }

    /// What an expression gives for rows taken at random.
    func sample(_ expression: String, of table: String) throws -> [String] {
        let texts: [String] = try pool.read { db in
            let last = try Int.fetchOne(db, sql: "SELECT max(number) FROM \(table)") ?? 0
            let statement = try db.makeStatement(sql: "SELECT \(expression) FROM \(table) WHERE number = ?")
            return try (0..<20_000).compactMap { _ in
                try String.fetchOne(statement, arguments: [Int.random(in: 1...max(1, last))])
            }
        }
        guard !texts.isEmpty else { throw Failure("\(table) is empty") }
        return texts
    }

    /// Writes objects exactly as the store does, thousands of them a transaction, and moves them out of the log.
    func insert(_ count: Int, into table: String, make: () throws -> StoredObject) throws {
        let groupSize = 100_000
        try pool.writeWithoutTransaction { db in
            let statement = try db.makeStatement(
                sql: """
                    INSERT INTO \(table) (id, created_at, updated_at, body, checksum)
                    VALUES (?1, ?2, ?3, ?4, lcfile_checksum(?1, ?2, ?3, NULL, ?4))
                    """
            )
            for start in stride(from: 0, to: count, by: groupSize) {
                try db.inTransaction {
                    for _ in start..<min(start + groupSize, count) {
                        let object = try make()
                        let body = String(decoding: JSONValue.object(object.fields).encoded(), as: UTF8.self)
                        try statement.execute(
                            arguments: [
                                object.id.description, object.createdAt.milliseconds, object.updatedAt.milliseconds,
                                body,
                            ]
                        )
                    }
                    return .commit
                }
            }
            // Synced once, so that nothing is left to write while others are measured.
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA synchronous = OFF")
        }
    }
}
