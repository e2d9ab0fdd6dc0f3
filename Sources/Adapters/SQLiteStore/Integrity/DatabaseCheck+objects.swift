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
                let objects = try objectsWithFiles(in: table, after: last, through: end)
                // Looked up after the objects were read: a server creates a file before an object refers to it.
                for object in objects {
                    for file in object.files.sorted() where try !has(file, in: files) {
                        try body(DanglingReference(className: name.description, object: object.id, file: file))
                    }
                }
                last = end
            }
            for (key, target) in entry.schema.relations.sorted(by: { $0.key < $1.key }) where target == .file {
                try forEachMissingMember(of: key, entry.number, files) { owner, file in
                    try body(DanglingReference(className: name.description, object: owner, file: file, relation: key))
                }
            }
        }
    }

    /// The objects of a page with the ids of files to which their values refer.
    private func objectsWithFiles(
        in table: String,
        after last: Int64,
        through end: Int64
    ) throws -> [(id: String, files: Set<ObjectID>)] {
        try work { db in
            // Parsed are only the few objects with a file, one at a time: bodies can be large.
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT id, body FROM \(table) WHERE number > ? AND number <= ?
                    AND (instr(body, '"_File"') > 0 OR instr(body, '"File"') > 0)
                    """,
                arguments: [last, end]
            )
            var objects: [(id: String, files: Set<ObjectID>)] = []
            while let row = try rows.next() {
                guard let id = String.fromDatabaseValue(row["id"] as DatabaseValue),
                    let text = String.fromDatabaseValue(row["body"] as DatabaseValue),
                    let value = try? JSONValue(parsing: Array(text.utf8), field: "body")
                else { continue }
                let ids = FileReferences.ids(in: value)
                if !ids.isEmpty { objects.append((id, ids)) }
            }
            return objects
        }
    }

    /// Calls the body with each member of a relation that does not exist, and its owner.
    ///
    /// A deletion removes the file from relations in its transaction, so one statement sees both or neither.
    private func forEachMissingMember(
        of key: String,
        _ number: Int64,
        _ files: String,
        _ body: (String, ObjectID) throws -> Void
    ) throws {
        var last = (owner: "", member: "")
        while true {
            let start = last
            let page = try work { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT owner, member, EXISTS (SELECT 1 FROM \(files) WHERE id = member) AS found FROM relation
                        WHERE class = ? AND key = ? AND (owner, member) > (?, ?)
                        ORDER BY owner, member LIMIT \(DatabaseCheck.pageSize)
                        """,
                    arguments: [number, key, start.owner, start.member]
                ).map { row -> (owner: String, member: String, isFound: Bool) in
                    let owner = String.fromDatabaseValue(row["owner"] as DatabaseValue) ?? ""
                    return (owner, String.fromDatabaseValue(row["member"] as DatabaseValue) ?? "", row["found"])
                }
            }
            guard let end = page.last else { return }
            for row in page where !row.isFound {
                if let file = ObjectID(row.member) { try body(row.owner, file) }
            }
            guard (end.owner, end.member) > last else { return }
            last = (end.owner, end.member)
        }
    }

    /// Whether a table has an object.
    func has(_ id: ObjectID, in table: String) throws -> Bool {
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
                SELECT count(*) AS files, coalesce(sum(\(FileRow.size(at: "$._size"))), 0) AS bytes
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
                    SELECT count(*) AS files, coalesce(sum(\(FileRow.size(at: "$.size"))), 0) AS bytes
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
