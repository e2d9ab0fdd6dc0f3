@testable import PostgresStore

/// A copy of a schema at one moment, which takes the place of the schema later, as a replica does that lacks the last
/// transactions.
struct Replica {
    private let connection: PostgresConnection
    private let tables: [String]

    /// Copies the tables that have changes, classes and objects.
    init(of address: PostgresAddress) throws {
        let connection = try PostgresConnection(address)
        let result = try connection.run(
            """
            SELECT tablename FROM pg_tables WHERE schemaname = current_schema() \
            AND (tablename IN ('state', 'change_log') OR tablename LIKE 'class%')
            """
        )
        tables = (0..<result.count).compactMap { result.text($0, 0) }
        for table in tables { connection.later("CREATE TABLE saved_\(table) AS TABLE \(table)") }
        try connection.flush()
        self.connection = connection
    }

    /// Gives the tables their former rows; the table of a class that was made later stays, and no class has it.
    func promote() throws {
        connection.later("BEGIN")
        for table in tables {
            connection.later("DELETE FROM \(table)")
            connection.later("INSERT INTO \(table) OVERRIDING SYSTEM VALUE SELECT * FROM saved_\(table)")
        }
        connection.later("COMMIT")
        try connection.flush()
    }
}
