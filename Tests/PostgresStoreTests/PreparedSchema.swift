@testable import PostgresStore

/// A schema with the built-in classes of a new store and no objects, which tests use one after the other.
///
/// To make one takes longer than most tests: a new store has hundreds of tables and indexes.
struct PreparedSchema {
    let address: PostgresAddress
    /// The rows of the built-in classes, and the number of the last one.
    private let classes: String
    private let last: Int64

    private static let rows = "string_agg(number || ' ' || name || ' ' || schema, ' ' ORDER BY number)"

    /// Takes the schema of a new store, before the first test uses it.
    init(of address: PostgresAddress) throws {
        self.address = address
        let result = try PostgresConnection(address).run(
            SQL(text: "SELECT max(number), \(PreparedSchema.rows) FROM class")
        )
        last = result.integer(0, 0) ?? 0
        classes = result.text(0, 1) ?? ""
    }

    /// Removes all that a test made.
    ///
    /// - Returns: `false` if the test changed a built-in class: the schema is not that of a new store any more.
    func clear() throws -> Bool {
        let connection = try PostgresConnection(address)
        try connection.run(
            SQL(
                text: """
                    DO $do$
                    DECLARE name text;
                    BEGIN
                        FOR name IN SELECT 'class_' || number FROM class WHERE number > \(last) LOOP
                            EXECUTE format('DROP TABLE %I', name);
                        END LOOP;
                        DELETE FROM class WHERE number > \(last);
                        FOR name IN SELECT tablename FROM pg_tables
                            WHERE schemaname = current_schema() AND tablename NOT IN ('class', 'state', 'migration')
                        LOOP
                            EXECUTE format('DELETE FROM %I', name);
                        END LOOP;
                    END $do$
                    """
            )
        )
        return try connection.run(SQL(text: "SELECT \(PreparedSchema.rows) FROM class")).text(0, 0) == classes
    }

    /// Drops the schema.
    func drop() throws {
        try PreparedSchema.drop(address)
    }

    /// Drops the schema of an address.
    static func drop(_ address: PostgresAddress) throws {
        let connection = try PostgresConnection(address)
        try connection.run(SQL(text: "DROP SCHEMA IF EXISTS \(address.schema.quotedName) CASCADE"))
    }
}
