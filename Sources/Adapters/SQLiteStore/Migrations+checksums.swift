internal import GRDB

extension DatabaseMigrator {
    /// Adds the column of checksums to the tables of all classes, and notes which rows have none yet.
    ///
    /// It takes a moment, however many rows there are: `ChecksumBacklog` computes the checksums later. The column is
    /// added in the text of the schema, as ALTER TABLE does it, because ALTER TABLE reads all rows of a STRICT table
    /// and its indexes since SQLite 3.45.
    static func addChecksums(_ db: Database) throws {
        try db.execute(sql: "PRAGMA writable_schema = ON")
        defer { try? db.execute(sql: "PRAGMA writable_schema = OFF") }
        try db.execute(
            sql: """
                UPDATE sqlite_master SET sql = replace(sql, ?, ?)
                WHERE type = 'table' AND name IN (SELECT 'class_' || number FROM class)
                """,
            arguments: [
                "    body       TEXT NOT NULL\n) STRICT",
                "    body       TEXT NOT NULL,\n    checksum   INTEGER\n) STRICT",
            ]
        )
        // Other connections read the schema anew because of its version, this one because of the reset.
        let version = try Int.fetchOne(db, sql: "PRAGMA schema_version") ?? 0
        try db.execute(sql: "PRAGMA schema_version = \(version + 1)")
        try db.execute(sql: "PRAGMA writable_schema = RESET")
        db.clearSchemaCache()
        try db.execute(
            sql: """
                CREATE TABLE checksum_backlog (
                    class INTEGER PRIMARY KEY,
                    last  INTEGER NOT NULL
                ) STRICT;
                """
        )
        for number in try Int64.fetchAll(db, sql: "SELECT number FROM class ORDER BY number") {
            // Throws if the table's text had another form.
            try db.execute(
                sql: """
                    INSERT INTO checksum_backlog (class, last)
                        SELECT ?, last FROM (SELECT max(number) AS last FROM class_\(number) WHERE checksum IS NULL)
                        WHERE last IS NOT NULL
                    """,
                arguments: [number]
            )
        }
    }

    /// Whether the tables of a database have the column of checksums.
    static func hasChecksums(_ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db,
            sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'checksum_backlog')"
        ) ?? false
    }
}
