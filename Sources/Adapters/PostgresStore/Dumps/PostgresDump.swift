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
                connection.takeTurn()
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
                var items = CopiedItems(of: name, number, connection)
                while let item = try items.next() { try body(item) }
            }
        }
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
