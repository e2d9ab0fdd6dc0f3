extension PostgresAddress {
    /// How long a statement waits for a lock.
    var lockTime: String { "\(timeout)s" }

    /// The statements that prepare a session, before all others.
    ///
    /// - Parameter version: The version of the server, such as 150018.
    /// - Returns: The statements; none of them has a result that is read.
    func settings(ofVersion version: Int) -> [String] {
        var settings = [
            // Constants with names from clients are parts of statements, and only their quotes are doubled.
            "SET standard_conforming_strings = on",
            // Queries have budgets, and no other statement must end early: a limit of the role or of the database would
            // also end the building of an index and a dump.
            "SET statement_timeout = 0",
            // PostgreSQL searches pg_catalog before it anyway. It must not be named: a session whose path is computed
            // while another one commits the schema keeps the path without the schema, if a name follows, and would
            // create its tables in pg_catalog.
            "SET search_path = \(schema.quotedName)", "SET jit = off", "SET lock_timeout = '\(lockTime)'",
            "SET extra_float_digits = 1", "SET idle_in_transaction_session_timeout = '\(timeout * 3)s'",
            // An acknowledged change survives a crash also where the database's default is weaker.
            """
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
            """,
            // A statement whose server has abandoned the connection ends, instead of running on; only some systems can
            // notice that, and refuse the setting otherwise.
            """
            SELECT set_config('client_connection_check_interval', '2s', false) WHERE version() LIKE '%linux%'
            """,
        ]
        // The connection of locks can be idle for as long as a file is created.
        if version >= 140_000 { settings.append("SET idle_session_timeout = 0") }
        if version >= 170_000 { settings.append("SET transaction_timeout = 0") }
        return settings
    }
}
