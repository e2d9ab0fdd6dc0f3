package import Domain

/// The objects of an app in one snapshot of its schema.
///
/// The rows arrive one after the other by `COPY`, so neither the server nor this process has all of them in memory. One
/// thread uses it at a time.
package final class PostgresDump: DumpSource {
    private let connection: PostgresConnection
    private let address: PostgresAddress
    private let classes: Set<ClassName>?

    /// The id of the schema (``PostgresObjectStore/id``).
    ///
    /// - Throws: ``OpenFailure`` if it cannot be read.
    package func id() throws -> String {
        try OpenFailure.translating("cannot be read") { try connection.run("SELECT id FROM identity").text(0, 0) ?? "" }
    }

    /// Connects, and begins the snapshot.
    ///
    /// - Parameters:
    ///   - address: The app's schema.
    ///   - holdingTurn: Whether no server can change the objects until the dump is released or ``retire(as:)`` returns;
    ///     otherwise servers can.
    ///   - classes: The classes that are read; `nil` for all.
    /// - Throws: ``OpenFailure`` if it cannot be reached, does not exist, or is of another version.
    package init(of address: PostgresAddress, holdingTurn: Bool = false, classes: Set<ClassName>? = nil) throws {
        self.address = address
        self.classes = classes
        connection = try OpenFailure.translating("cannot be read") {
            let connection = try PostgresConnection(address)
            try SchemaMigration.requireCurrent(connection, schema: address.schema)
            connection.prepareForDump()
            if holdingTurn {
                connection.later("BEGIN ISOLATION LEVEL REPEATABLE READ")
                connection.later("LOCK TABLE turn IN EXCLUSIVE MODE")
            } else {
                connection.later("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            }
            // The first statement takes the snapshot.
            try connection.run("SELECT last_change FROM state")
            return connection
        }
    }

    /// Reads what the transaction of a connection sees.
    init(within connection: PostgresConnection, _ address: PostgresAddress) {
        self.connection = connection
        self.address = address
        classes = nil
    }

    /// Gives the schema of a dump that holds the turn a name that no server uses, so that none changes objects that
    /// were moved; ends the dump.
    ///
    /// - Throws: ``OpenFailure``, for example if the user does not own the schema.
    package func retire(as name: String) throws {
        try OpenFailure.translating("cannot be renamed") {
            connection.later("ALTER SCHEMA \(address.schema.quotedName) RENAME TO \(name.quotedName)")
            connection.later("COMMIT")
            try connection.flush()
        }
    }

    package func forEachItem(_ body: (DumpItem) throws -> Void) throws {
        // After an error of the body in the middle of a COPY the connection cannot be used again.
        try OpenFailure.translating("cannot be read") {
            let result = try connection.run("SELECT number, name, schema FROM class")
            let classes = try (0..<result.count).map { row in
                (
                    number: result.integer(row, 0) ?? 0, name: try ClassName(result.text(row, 1) ?? ""),
                    schema: result.bytes(row, 2) ?? []
                )
            }
            for (number, name, schema) in classes.sorted(by: { $0.name < $1.name })
            where self.classes?.contains(name) ?? true {
                try body(.begin(name, schema: schema))
                try readRows(of: number, name, body)
                try readMemberships(of: number, name, body)
                try readCounters(of: number, body)
            }
        }
    }

    private func readRows(of number: Int64, _ name: ClassName, _ body: (DumpItem) throws -> Void) throws {
        let statement = """
            SELECT number, id, created_at, updated_at, acl, body FROM \(ClassTable(number).name) ORDER BY number
            """
        try read(statement) { row in
            let number = try row.number()
            let id = try row.string()
            guard let objectID = ObjectID(id) else {
                throw OpenFailure(
                    damaged: DamagedRow(className: "\(name)", number: number, id: id, damage: "has no valid id")
                )
            }
            let object = ObjectRow(
                id: objectID,
                createdAt: Timestamp(milliseconds: try row.number()),
                updatedAt: Timestamp(milliseconds: try row.number()),
                acl: try row.text(),
                body: try row.text() ?? []
            )
            try body(.row(number: number, object))
        }
    }

    private func readMemberships(of number: Int64, _ name: ClassName, _ body: (DumpItem) throws -> Void) throws {
        let statement = """
            SELECT key, owner, member FROM relation WHERE class = \(number) ORDER BY key, owner, member
            """
        try read(statement) { row in
            let field = try row.string()
            guard let owner = ObjectID(try row.string()), let member = ObjectID(try row.string()) else {
                throw OpenFailure(message: "has an invalid id in the relation \(field) of \(name)", isDamage: true)
            }
            try body(.membership(field: field, Membership(owner: owner, member: member)))
        }
    }

    private func readCounters(of number: Int64, _ body: (DumpItem) throws -> Void) throws {
        let statement = "SELECT field, last FROM counter WHERE class = \(number) ORDER BY field"
        try read(statement) { row in try body(.counter(field: try row.string(), last: try row.number())) }
    }

    private func read(_ query: String, _ body: (inout BinaryRow) throws -> Void) throws {
        var rows = BinaryRowReader()
        try connection.copy("COPY (\(query)) TO STDOUT WITH (FORMAT binary)") { try rows.read($0, body) }
    }
}

extension PostgresConnection {
    /// Removes the time limits of the session: the other side of a dump can take minutes for an index.
    func prepareForDump() {
        for setting in ["statement_timeout", "idle_in_transaction_session_timeout"] { later("SET \(setting) = 0") }
        // Finds out that a client is gone that cannot say so; ignored on a local socket.
        for setting in ["tcp_keepalives_idle", "tcp_keepalives_interval"] { later("SET \(setting) = 10") }
    }
}

extension OpenFailure {
    /// Runs a body; its errors of PostgreSQL become failures that begin with a text.
    static func translating<Result>(_ text: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error where error is PostgresError || error is BinaryRow.Malformed {
            throw OpenFailure(message: "\(text) (\(error))")
        }
    }
}
