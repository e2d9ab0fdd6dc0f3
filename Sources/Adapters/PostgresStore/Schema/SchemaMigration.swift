internal import Domain

/// The versions of the tables, in order.
///
/// A released migration is never edited. docs/scale-out.md describes the result.
enum SchemaMigration {
    /// The statements of each version; the first one is number 1.
    static let all: [[String]] = [
        [
            """
            CREATE TABLE state (
                catalog_version bigint NOT NULL,
                last_change     bigint NOT NULL
            ) WITH (fillfactor = 50)
            """,
            "INSERT INTO state VALUES (0, 0)",
            "CREATE TABLE turn ()",
            """
            CREATE TABLE class (
                number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                name   text COLLATE "C" NOT NULL UNIQUE,
                schema text NOT NULL
            )
            """,
            """
            CREATE TABLE relation (
                class  bigint NOT NULL,
                key    text COLLATE "C" NOT NULL,
                owner  text COLLATE "C" NOT NULL,
                member text COLLATE "C" NOT NULL,
                PRIMARY KEY (class, key, owner, member)
            )
            """,
            "CREATE INDEX relation_member ON relation (class, key, member, owner)",
            """
            CREATE TABLE counter (
                class bigint NOT NULL,
                field text COLLATE "C" NOT NULL,
                last  bigint NOT NULL,
                PRIMARY KEY (class, field)
            )
            """,
            """
            CREATE TABLE change_log (
                number  bigint PRIMARY KEY,
                server  text NOT NULL,
                at      timestamptz NOT NULL DEFAULT now(),
                changes text
            )
            """,
            "CREATE INDEX change_log_at ON change_log (at)",
        ],
        [
            "CREATE TABLE identity (id text NOT NULL)",
            "INSERT INTO identity VALUES (replace(gen_random_uuid()::text, '-', ''))",
        ],
        [
            // The number of the last transaction that concerned callers, and the server that has the schema alone.
            "ALTER TABLE state ADD COLUMN callers bigint NOT NULL DEFAULT 0, ADD COLUMN holder text",
            """
            CREATE TABLE lease (
                name   text COLLATE "C" PRIMARY KEY,
                holder text NOT NULL,
                ends   timestamptz NOT NULL
            )
            """,
        ],
    ]

    /// Creates or migrates the tables of an app; several servers can do so at the same time.
    ///
    /// - Parameters:
    ///   - connection: A connection to the database.
    ///   - schema: The schema.
    ///   - id: The id that the schema must have; `nil` creates it if it does not exist. A schema that was removed is not
    ///     created again, because servers that still run would go on in the empty one.
    /// - Throws: ``OpenFailure`` if a later version of the server has migrated them, for an unsuitable database, and for
    ///   another id.
    static func run(_ connection: PostgresConnection, schema: String, expecting id: String? = nil) throws {
        guard connection.serverVersion >= 140_000 else {
            throw OpenFailure(message: "is of PostgreSQL \(connection.serverVersion / 10_000); 14 or newer is needed")
        }
        let encoding = try connection.run("SHOW server_encoding").text(0, 0) ?? ""
        guard encoding == "UTF8" else {
            throw OpenFailure(message: "has the encoding \(encoding); lcfile needs one with UTF8")
        }
        // Released at the end of the session at the latest.
        try connection.run("SELECT pg_advisory_lock(hashtextextended(\(schema), 7526))")
        if let id { try require(id, connection) } else { create(schema, connection) }
        try migrate(connection)
        try connection.run("SELECT pg_advisory_unlock(hashtextextended(\(schema), 7526))")
    }

    /// Throws ``OpenFailure`` unless the schema exists and has this version; changes nothing.
    static func requireCurrent(_ connection: PostgresConnection, schema: String) throws {
        guard try !connection.run("SELECT to_regclass('migration')").isNull(0, 0) else {
            throw OpenFailure(message: "has no objects of lcfile in its schema \(schema)")
        }
        let result = try connection.run("SELECT coalesce(max(version), 0) FROM migration")
        let version = Int(result.integer(0, 0) ?? 0)
        try refuseNewer(version)
        guard version == all.count else {
            throw OpenFailure(message: "was written by an earlier version of lcfile; start the server once before")
        }
    }

    private static func refuseNewer(_ version: Int) throws {
        guard version > all.count else { return }
        throw OpenFailure(
            message: "was migrated to version \(version) by a later lcfile; this one knows \(all.count)"
        )
    }

    private static func require(_ id: String, _ connection: PostgresConnection) throws {
        let exists = try !connection.run("SELECT to_regclass('identity')").isNull(0, 0)
        guard exists, try connection.run("SELECT id FROM identity").text(0, 0) == id else {
            throw OpenFailure(
                message: "is not that of the app's folder: it was removed, was created anew, or is of another storage"
            )
        }
    }

    private static func create(_ schema: String, _ connection: PostgresConnection) {
        connection.later("CREATE SCHEMA IF NOT EXISTS \(schema.quotedName)")
        connection.later(
            """
            CREATE TABLE IF NOT EXISTS migration (
                version bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT now()
            )
            """
        )
    }

    private static func migrate(_ connection: PostgresConnection) throws {
        let result = try connection.run("SELECT coalesce(max(version), 0) FROM migration")
        let version = Int(result.integer(0, 0) ?? 0)
        try refuseNewer(version)
        for (index, statements) in all.enumerated().dropFirst(version) {
            connection.later("BEGIN")
            for statement in statements { connection.later(statement) }
            try connection.run("INSERT INTO migration (version) VALUES (\(Int64(index + 1)))")
            connection.later("COMMIT")
            try connection.flush()
        }
    }
}
