package import Domain

/// The current file records of an app, for the end of a backup and for a check.
package struct PostgresFiles: Sendable {
    let pool: ConnectionPool

    /// Creates the access to an app's schema; connects when it is used.
    package init(of address: PostgresAddress) {
        pool = ConnectionPool(address)
    }

    /// Whether a record currently exists, or it is unknown; blocks.
    package func has(_ file: FileEntry) -> Bool {
        let answer = try? pool.withConnection { connection in
            let result = try connection.run("SELECT number FROM class WHERE name = \(ClassName.file.description)")
            guard result.count > 0, let number = result.integer(0, 0) else { return true }
            return try connection.run(
                """
                SELECT EXISTS (SELECT 1 FROM \(sql: ClassTable(number).name) WHERE id = \(file.id.description))
                """
            ).boolean(0, 0)
        }
        return answer ?? true
    }

    /// Ends the connections.
    package func close() {
        pool.close()
    }
}
