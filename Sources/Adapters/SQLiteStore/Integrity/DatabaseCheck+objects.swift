package import Domain
internal import GRDB

/// References to files, and the counters of files and uploads.
extension DatabaseCheck {
    package func forEachDanglingReference(_ body: (DanglingReference) throws -> Void) throws {
        let files = try fileTable()
        for (name, entry) in catalog.entries.sorted(by: { $0.value.number < $1.value.number }) {
            let table = ClassTable(number: entry.number).name
            var last: Int64 = 0
            while let end = try lastNumber(of: table, after: last) {
                // Parsed are only the few objects with a file.
                let objects = try work { db in
                    try Row.fetchAll(
                        db,
                        sql: """
                            SELECT id, body FROM \(table) WHERE number > ? AND number <= ?
                            AND (instr(body, '"_File"') > 0 OR instr(body, '"File"') > 0)
                            """,
                        arguments: [last, end]
                    ).compactMap { row -> (id: String, files: Set<ObjectID>)? in
                        guard let id = String.fromDatabaseValue(row["id"] as DatabaseValue),
                            let text = String.fromDatabaseValue(row["body"] as DatabaseValue),
                            let value = try? JSONValue(parsing: Array(text.utf8), field: "body")
                        else { return nil }
                        let ids = FileReferences.ids(in: value)
                        return ids.isEmpty ? nil : (id, ids)
                    }
                }
                // Looked up after the objects were read: a server creates a file before an object refers to it.
                for object in objects {
                    for file in object.files.sorted() where try !has(file, in: files) {
                        try body(DanglingReference(className: name.description, object: object.id, file: file))
                    }
                }
                last = end
            }
        }
    }

    private func has(_ id: ObjectID, in table: String) throws -> Bool {
        try work { db in
            try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE id = ?)",
                arguments: [id.description]
            ) ?? false
        }
    }

    package func uploads(_ ids: [ObjectID]) throws -> Set<ObjectID> {
        guard let table = table(of: .upload) else { return [] }
        return Set(try ids.filter { try has($0, in: table) })
    }

    package func usage() throws -> (stored: Usage, counted: Usage) {
        do {
            return try queue.read { db in (try stored(db), try counted(db)) }
        } catch let error as DatabaseError {
            throw DatabaseCheck.failure("cannot be read", error)
        }
    }

    private func stored(_ db: Database) throws -> Usage {
        var usage = Usage()
        guard let table = table(of: .usage),
            let text = try String.fetchOne(
                db,
                sql: "SELECT body FROM \(table) WHERE id = ?",
                arguments: [Usage.id.description]
            ), let members = try? JSONValue(parsing: Array(text.utf8), field: "usage").objectValue
        else { return usage }
        for (name, field) in Usage.fields { usage[keyPath: field] = members[name]?.integerValue ?? 0 }
        return usage
    }

    /// The usage of all files and uploads, in one state of the database.
    private func counted(_ db: Database) throws -> Usage {
        var usage = Usage()
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*) AS files, coalesce(sum(json_extract(body, '$._size')), 0) AS bytes
                FROM \(try fileTable()) WHERE json_valid(body) AND json_extract(body, '$.key') IS NOT NULL
                AND coalesce(json_extract(body, '$._mirror'), '') <> 'missing'
                """
        )
        usage.files = row?["files"] ?? 0
        usage.bytes = row.flatMap { Int64.fromDatabaseValue($0["bytes"] as DatabaseValue) } ?? 0
        if let trash = table(of: .trash) {
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT count(*) AS files, coalesce(sum(json_extract(body, '$.size')), 0) AS bytes
                    FROM \(trash) WHERE json_valid(body) AND json_extract(body, '$._record.fields.key') IS NOT NULL
                    AND json_extract(body, '$._record.fields._size') IS NOT NULL
                    """
            )
            usage.trashFiles = row?["files"] ?? 0
            usage.trashBytes = row.flatMap { Int64.fromDatabaseValue($0["bytes"] as DatabaseValue) } ?? 0
        }
        guard let uploads = table(of: .upload) else { return usage }
        let rows = try Row.fetchCursor(db, sql: "SELECT id, created_at, updated_at, body FROM \(uploads)")
        while let row = try rows.next() {
            guard let id = String.fromDatabaseValue(row["id"] as DatabaseValue).flatMap({ ObjectID($0) }),
                let text = String.fromDatabaseValue(row["body"] as DatabaseValue),
                let fields = try? JSONValue(parsing: Array(text.utf8), field: "body").objectValue
            else { continue }
            let object = StoredObject(
                id: id,
                createdAt: Timestamp(milliseconds: row["created_at"]),
                updatedAt: Timestamp(milliseconds: row["updated_at"]),
                fields: fields
            )
            usage = usage + Usage(upload: object)
        }
        return usage
    }
}
