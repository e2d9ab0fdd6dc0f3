package import Domain
internal import GRDB

extension DatabaseCopy {
    /// The number of records that are read at a time.
    private static let pageSize = 256

    /// Calls the body with all records of files with bytes in order of creation, some hundred at a time; unreadable
    /// records are passed separately, those that are no JSON before all others.
    ///
    /// The body can ``forget(_:_:)`` records. Its errors are rethrown.
    package func forEachPage(_ body: ([FileEntry], [UnreadableRecord]) throws -> Void) throws {
        // All at once: no index of a field can be created while another record is no JSON.
        let invalid = try invalidRecords()
        if !invalid.isEmpty { try body([], invalid) }
        var last: Int64 = 0
        while true {
            let records = try page(after: last)
            guard let end = records.last else { return }
            try body(records.compactMap(\.file), records.filter { $0.file == nil }.map(\.broken))
            last = end.number
        }
    }

    /// Deletes records and their memberships in relations.
    package func forget(_ files: [FileEntry], _ broken: [UnreadableRecord]) throws(OpenFailure) {
        do {
            do {
                // A broken record does not contain the values from which its index entries were created.
                guard broken.isEmpty else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
                try queue.write { db in
                    for file in files { try forget(file, db) }
                }
            } catch let error as DatabaseError where SQLiteFailure.fault(of: error) == .damaged {
                // A record whose key was changed to another valid key counts as intact until it is deleted.
                guard let table else { return }
                try queue.writeWithoutTransaction { db in
                    try db.withoutIndexes(of: table) {
                        for file in files { try forget(file, db) }
                        for record in broken { try forget(record, db) }
                    }
                }
            }
        } catch {
            throw OpenFailure(message: "cannot be changed (\(DatabaseCopy.line(error)))")
        }
    }

    /// The records that are no JSON; empty if pages are damaged, because such a copy is not changed, and the records
    /// before the damage can still be read page by page.
    private func invalidRecords() throws(OpenFailure) -> [UnreadableRecord] {
        guard damage == nil, let table else { return [] }
        let sql = "SELECT \(FileRow.columns()) FROM \(table) WHERE NOT json_valid(body) ORDER BY number"
        do {
            return try queue.read { db in try Row.fetchAll(db, sql: sql).map { FileRow(row: $0).broken } }
        } catch {
            throw OpenFailure(message: "cannot be read (\(DatabaseCopy.line(error)))", isDamage: true)
        }
    }

    private func page(after number: Int64) throws(OpenFailure) -> [FileRow] {
        guard let table else { throw OpenFailure(message: "has no class _File", isDamage: damage != nil) }
        let sql = """
            SELECT \(FileRow.columns())
            FROM \(table)
            WHERE number > ? AND \(FileRow.hasBytes()) \(damage == nil ? "AND json_valid(body)" : "")
            ORDER BY number LIMIT \(DatabaseCopy.pageSize)
            """
        do {
            return try queue.read { db in try Row.fetchAll(db, sql: sql, arguments: [number]).map(FileRow.init(row:)) }
        } catch {
            throw OpenFailure(message: "cannot be read (\(DatabaseCopy.line(error)))", isDamage: true)
        }
    }

    private func forget(_ file: FileEntry, _ db: Database) throws {
        guard let table else { return }
        try db.execute(sql: "DELETE FROM \(table) WHERE id = ?", arguments: [file.id.description])
        if let usage = catalog.entries[.usage].map({ ClassTable(number: $0.number).name }) {
            let body = """
                json_set(body, '$.bytes', json_extract(body, '$.bytes') - ?1,
                    '$.files', json_extract(body, '$.files') - 1)
                """
            try db.execute(
                sql: "\(RowChecksum.update(usage, settingBody: body)) WHERE id = 'usage'",
                arguments: [file.facts.size]
            )
        }
        try db.unrelate(file.id.description, of: .file, in: catalog)
    }

    /// The size is unknown, so the app's usage is not reduced.
    private func forget(_ record: UnreadableRecord, _ db: Database) throws {
        guard let table else { return }
        try db.execute(sql: "DELETE FROM \(table) WHERE number = ?", arguments: [record.number])
        try db.unrelate(record.id, of: .file, in: catalog)
    }
}

/// A row of the table of files.
struct FileRow {
    let number: Int64
    /// The file; `nil` if its values were not written by lcfile.
    let file: FileEntry?
    let broken: UnreadableRecord

    /// The path of a record's fields in the body of an entry of the trash.
    static let trashed = "$._record.fields"

    /// The columns that ``init(row:)`` reads, of records whose fields have a path in the body.
    static func columns(at path: String = "$") -> String {
        // Only CASE guarantees that SQLite extracts no member from a string that is not JSON.
        func member(_ name: String) -> String {
            "CASE WHEN json_valid(body) THEN json_extract(body, '\(path).\(name)') END"
        }
        return """
            number, id, \(member("key")) AS key, \(member("_size")) AS size, \(member("_md5")) AS md5,
            \(member("_sha256")) AS sha256, \(member("_hash")) AS hash, \(member("_replaced")) AS replaced
            """
    }

    /// The condition for rows of files with bytes, and for those that cannot be read.
    static func hasBytes(at path: String = "$") -> String {
        """
        CASE WHEN json_valid(body)
            THEN coalesce(json_extract(body, '\(path).key'), json_extract(body, '\(path)._size')) IS NOT NULL
                AND coalesce(json_extract(body, '\(path)._mirror'), '') <> 'missing'
            ELSE 1 END
        """
    }

    /// The size of a file in a member of the body; `NULL` for one that no file has, with which a sum could overflow.
    static func size(at path: String) -> String {
        // Only CASE guarantees that SQLite extracts no member from a string that is not JSON.
        let size = "CASE WHEN json_valid(body) THEN json_extract(body, '\(path)') END"
        let sizes = BlobFacts.sizes
        return "CASE WHEN \(size) BETWEEN \(sizes.lowerBound) AND \(sizes.upperBound) THEN \(size) END"
    }

    init(row: Row) {
        // Without conversion, because GRDB ends the process for a value of another type.
        func text(_ column: String) -> String? { String.fromDatabaseValue(row[column] as DatabaseValue) }
        number = row["number"]
        broken = UnreadableRecord(number: number, id: text("id") ?? "")
        guard let id = text("id").flatMap({ ObjectID($0) }), let key = text("key").flatMap({ FileKey($0) }),
            let size = Int64.fromDatabaseValue(row["size"] as DatabaseValue), BlobFacts.sizes.contains(size),
            let digest = BlobDigest(hash: text("hash"), sha256: text("sha256"))
        else {
            file = nil
            return
        }
        file = FileEntry(
            id: id,
            key: key,
            facts: BlobFacts(size: size, digest: digest, md5: text("md5")),
            replaced: text("replaced").flatMap { ObjectID($0) }
        )
    }
}
