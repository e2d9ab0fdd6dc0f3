package import Domain

/// What a check asks about the current state, in statements of their own. Every call blocks and throws ``OpenFailure``.
extension PostgresFiles {
    /// The number of rows that one statement reads.
    private static let pageSize: Int64 = 1000

    /// The key of a file; `nil` if there is no record with a valid one.
    package func key(of file: ObjectID) throws -> FileKey? {
        try asking { connection in
            guard let table = try table(of: .file, connection) else { return nil }
            let result = try connection.run("SELECT body FROM \(sql: table) WHERE id = \(file.description)")
            return result.count > 0 ? result.key(0, 0) : nil
        }
    }

    /// Those of some ids that objects of some classes have, at one moment.
    package func existing(_ ids: [ObjectID], in classes: [ClassName]) throws -> Set<ObjectID> {
        guard !ids.isEmpty else { return [] }
        return try asking { connection in
            let tables = try classes.compactMap { try table(of: $0, connection) }
            guard !tables.isEmpty else { return [] }
            // Ids have no character that is special in an array.
            let list = "{\(ids.map(\.description).joined(separator: ","))}"
            let union = tables.map { "SELECT id FROM \($0)" }.joined(separator: " UNION ALL ")
            let result = try connection.run(
                "SELECT id FROM (\(sql: union)) AS known WHERE id = ANY (\(list)::text[])"
            )
            return Set((0..<result.count).compactMap { result.text($0, 0).flatMap { ObjectID($0) } })
        }
    }

    /// Calls the body with the valid keys of all rows of a class, each page from a newer state than the one before.
    package func forEachKey(in name: ClassName, _ body: (FileKey) throws -> Void) throws {
        try asking { connection in
            guard let table = try table(of: name, connection) else { return }
            var last: Int64 = 0
            while true {
                let result = try connection.run(
                    """
                    SELECT number, body FROM \(sql: table) WHERE number > \(last) ORDER BY number \
                    LIMIT \(PostgresFiles.pageSize)
                    """
                )
                for row in 0..<result.count {
                    if let key = result.key(row, 1) { try body(key) }
                }
                guard result.count > 0, let end = result.integer(result.count - 1, 0) else { return }
                last = end
            }
        }
    }

    private func asking<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        try OpenFailure.translating("cannot be read") { try pool.withConnection(body) }
    }

    private func table(of name: ClassName, _ connection: PostgresConnection) throws -> String? {
        let result = try connection.run("SELECT number FROM class WHERE name = \(name.description)")
        guard result.count > 0, let number = result.integer(0, 0) else { return nil }
        return ClassTable(number).name
    }
}

extension PostgresResult {
    /// The key in the body of a file's record, or of a row of the deletion queue.
    fileprivate func key(_ row: Int, _ column: Int) -> FileKey? {
        let body = bytes(row, column).flatMap { try? JSONValue(parsing: $0, field: "body") }
        return body?.objectValue?["key"]?.stringValue.flatMap { FileKey($0) }
    }
}
