package import Domain
internal import GRDB

/// A database that no server writes: the copy that a backup or a restore makes, or the one that lies in a backup.
///
/// It is one plain file, without a log beside it. Every call blocks and throws ``OpenFailure``.
package struct DatabaseCopy: Sendable {
    private let queue: DatabaseQueue
    private let original: DatabaseQueue?
    private let catalog: Catalog

    /// How many records are read at a time.
    private static let pageSize = 256

    /// Copies a database as it is at one moment, whether a server has it open or not, and brings the copy up to date.
    ///
    /// Nobody who writes to the original waits for this. The copy is on the disk when ``close()`` returns, its name when
    /// its folder is synced.
    ///
    /// - Parameters:
    ///   - original: The database file; it is only read.
    ///   - path: The copy, which must not exist.
    /// - Throws: ``OpenFailure`` about the original.
    package init(of original: String, at path: String) throws(OpenFailure) {
        do {
            let source = try DatabaseQueue(path: original, configuration: DatabaseCopy.configuration(readonly: true))
            queue = try DatabaseQueue(path: path, configuration: DatabaseCopy.configuration(readonly: false))
            try source.backup(to: queue)
            // The original's journal mode was copied with its first page.
            let mode = try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                return try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            }
            guard mode == "delete" else { throw OpenFailure(sentence: "cannot be copied to one plain file") }
            try DatabaseCopy.refuseNewer(queue)
            try DatabaseMigrator.lcfile.migrate(queue)
            let catalog = try queue.read { try Catalog($0) }
            try queue.write { try DatabaseCopy.forgetUploads(catalog, $0) }
            self.catalog = catalog
            self.original = source
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw OpenFailure(sentence: "cannot be copied (\(DatabaseCopy.line(error)))")
        }
    }

    /// Opens a copy for reading, after a check of its pages; changes nothing, so it may lie where nothing can be written.
    package init(reading path: String) throws(OpenFailure) {
        do {
            queue = try DatabaseQueue(path: path, configuration: DatabaseCopy.configuration(readonly: true))
            original = nil
            let complaints = try queue.read { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") }
            guard complaints == ["ok"] else {
                throw OpenFailure(sentence: "is damaged (\(DatabaseCopy.line(complaints.joined(separator: " "))))")
            }
            try DatabaseCopy.refuseNewer(queue)
            catalog = try queue.read { try Catalog($0) }
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw OpenFailure(sentence: "cannot be read (\(DatabaseCopy.line(error)))")
        }
    }

    /// Closes it; later calls throw.
    package func close() throws(OpenFailure) {
        do {
            try queue.close()
            try original?.close()
        } catch {
            throw OpenFailure(sentence: "cannot be closed (\(DatabaseCopy.line(error)))")
        }
    }

    /// Calls the body with all file records, some hundred at a time, in the order in which they were made.
    ///
    /// The body may ``forget(_:)`` records. What it throws is thrown on.
    package func forEachPage(_ body: ([FileEntry]) throws -> Void) throws {
        var last: Int64 = 0
        while true {
            let rows = try page(after: last)
            guard let end = rows.last else { return }
            try body(rows.map(\.file))
            last = end.number
        }
    }

    /// Removes records, and what relations say of them.
    package func forget(_ files: [FileEntry]) throws(OpenFailure) {
        do {
            try queue.write { db in
                for file in files { try forget(file, db) }
            }
        } catch {
            throw OpenFailure(sentence: "cannot be changed (\(DatabaseCopy.line(error)))")
        }
    }

    /// Whether the original still has a record, now; yes if that cannot be told.
    package func originalHas(_ file: FileEntry) -> Bool {
        guard let original, let table else { return true }
        let answer = try? original.read { db in
            try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE id = ?)",
                arguments: [file.id.description]
            )
        }
        return answer ?? true
    }

    /// The table of the class `_File`.
    private var table: String? {
        catalog.entries[.file].map { ClassTable(number: $0.number).name }
    }

    private func page(after number: Int64) throws(OpenFailure) -> [(number: Int64, file: FileEntry)] {
        guard let table else { throw OpenFailure(sentence: "has no class _File") }
        let sql = """
            SELECT number, id, json_extract(body, '$.key') AS key, json_extract(body, '$._size') AS size,
                json_extract(body, '$._md5') AS md5, json_extract(body, '$._sha256') AS sha256,
                json_extract(body, '$._hash') AS hash
            FROM \(table)
            WHERE number > ? AND json_extract(body, '$.key') IS NOT NULL ORDER BY number LIMIT \(DatabaseCopy.pageSize)
            """
        do {
            return try queue.read { db in
                try Row.fetchAll(db, sql: sql, arguments: [number]).map { row in
                    (number: row["number"] as Int64, file: try FileEntry(row: row))
                }
            }
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw OpenFailure(sentence: "cannot be read (\(DatabaseCopy.line(error)))")
        }
    }

    private func forget(_ file: FileEntry, _ db: Database) throws {
        guard let table, let files = catalog.entries[.file] else { return }
        let id = file.id.description
        try db.execute(sql: "DELETE FROM \(table) WHERE id = ?", arguments: [id])
        if let usage = catalog.entries[.usage].map({ ClassTable(number: $0.number).name }) {
            try db.execute(
                sql: """
                    UPDATE \(usage) SET body = json_set(body, '$.bytes', json_extract(body, '$.bytes') - ?,
                        '$.files', json_extract(body, '$.files') - 1)
                    """,
                arguments: [file.facts.size]
            )
        }
        try db.execute(sql: "DELETE FROM relation WHERE class = ? AND owner = ?", arguments: [files.number, id])
        for owner in catalog.entries.values {
            for (key, target) in owner.schema.relations where target == .file {
                try db.execute(
                    sql: "DELETE FROM relation WHERE class = ? AND key = ? AND member = ?",
                    arguments: [owner.number, key, id]
                )
            }
        }
    }

    /// Uploads on their way stay behind: a copy has no bytes of theirs.
    private static func forgetUploads(_ catalog: Catalog, _ db: Database) throws {
        for name in [ClassName.upload, .uploadPart] {
            guard let number = catalog.entries[name]?.number else { continue }
            try db.execute(sql: "DELETE FROM \(ClassTable(number: number).name)")
        }
        guard let usage = catalog.entries[.usage]?.number else { return }
        try db.execute(
            sql: "UPDATE \(ClassTable(number: usage).name) SET body = json_set(body, '$.announced', 0, '$.uploads', 0)"
        )
    }

    private static func refuseNewer(_ queue: DatabaseQueue) throws {
        guard try queue.read(DatabaseMigrator.lcfile.hasBeenSuperseded) == false else {
            throw OpenFailure(sentence: "was written by a newer version of lcfile; use that version instead")
        }
    }

    /// What SQLite says, on one line.
    private static func line(_ words: Any) -> String {
        "\(words)".split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private static func configuration(readonly: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = readonly
        configuration.busyMode = .timeout(5)
        configuration.label = "lcfile.copy"
        return configuration
    }
}

extension FileEntry {
    /// Reads a row; throws for what only another program can have written.
    fileprivate init(row: Row) throws {
        // Taken as they are, because a value of another type must not end the process.
        func text(_ column: String) -> String? { String.fromDatabaseValue(row[column] as DatabaseValue) }
        guard let id = text("id").flatMap({ ObjectID($0) }), let key = text("key").flatMap({ FileKey($0) }),
            let size = Int64.fromDatabaseValue(row["size"] as DatabaseValue),
            let digest = BlobDigest(hash: text("hash"), sha256: text("sha256"))
        else {
            throw OpenFailure(sentence: "holds a file record without key, size or digest (\(text("id") ?? "no id"))")
        }
        self.init(id: id, key: key, facts: BlobFacts(size: size, digest: digest, md5: text("md5")))
    }
}
