package import Domain
internal import GRDB
internal import Glibc

/// A database that no server writes: the copy of a backup or a restore, or the one in a backup.
///
/// It is one file without a write-ahead log. Every call blocks and throws ``OpenFailure``.
package struct DatabaseCopy: CopiedDatabase {
    /// The damage to the pages of a copy or to its list of classes, or `nil` if they are intact.
    ///
    /// It continues "the database …". A damaged copy can only be read. With damaged pages it holds them as they are: it is
    /// not migrated.
    package let damage: String?
    let queue: DatabaseQueue
    private let original: DatabaseQueue?
    let catalog: Catalog

    /// Copies the state of a database at one moment, checks the copy's pages and its list of classes, and migrates it if
    /// the pages are intact (``damage``).
    ///
    /// A server can have the original open; its writers do not wait for the copy. The copy is on the disk when
    /// ``close()`` returns, its name when its folder is synced.
    ///
    /// - Parameters:
    ///   - original: The database file; it is only read.
    ///   - path: The copy, which must not exist.
    /// - Throws: ``OpenFailure`` about the original; one without a table of lcfile counts as damaged.
    package init(of original: String, at path: String) throws(OpenFailure) {
        var complaint: String?
        let source = try DatabaseCopy.source(original)
        do {
            queue = try DatabaseQueue(path: path, configuration: DatabaseCopy.configuration(readonly: false))
            try source.queue.backup(to: queue)
            try source.requireUnchanged()
            // The original's journal mode was copied with its first page.
            let mode = try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                return try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            }
            guard mode == "delete" else { throw OpenFailure(message: "cannot be copied to one plain file") }
            complaint = try DatabaseCopy.complaint(about: queue)
            if complaint == nil {
                try DatabaseCopy.refuseNewer(queue)
                try DatabaseCopy.refuseEmpty(queue)
                try DatabaseMigrator.lcfile.migrate(queue)
                while try queue.write({ try StoredBacklog(db: $0).fill(limit: 10_000) }) == false {}
            }
            // Of a damaged list the classes that can be read are used: mostly _File is among them.
            let (catalog, broken) = try queue.read { try Catalog.readable($0) }
            complaint = complaint ?? broken.map { "is damaged (\($0))" }
            if complaint == nil { try queue.write { try DatabaseCopy.forgetWork(catalog, $0) } }
            self.catalog = catalog
            self.damage = complaint
            self.original = source.queue
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw OpenFailure(
                // The copy's disk is as often the cause.
                message: complaint ?? "cannot be copied to \(path) (\(DatabaseCopy.line(error)))",
                isDamage: SQLiteFailure.isDamage(error) || complaint != nil
            )
        }
    }

    /// Makes a copy from the dump of another engine's database.
    ///
    /// As ``init(of:at:)`` it lacks unfinished uploads, the deletion queue and the trash.
    ///
    /// - Parameters:
    ///   - source: The dump.
    ///   - path: The copy, which must not exist.
    /// - Throws: ``OpenFailure``, mostly about the original.
    package init(loading source: any DumpSource, at path: String) throws(OpenFailure) {
        do {
            try DatabaseLoad(into: path).loadAll(of: source)
            queue = try DatabaseQueue(path: path, configuration: DatabaseCopy.configuration(readonly: false))
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            let catalog = try queue.read { try Catalog($0) }
            try queue.write { try DatabaseCopy.forgetWork(catalog, $0) }
            self.catalog = catalog
            (damage, original) = (nil, nil)
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw OpenFailure(message: "cannot be copied (\(DatabaseCopy.line(error)))")
        }
    }

    /// Opens a copy for reading, after a check of its pages; works in a read-only folder.
    package init(reading path: String) throws(OpenFailure) {
        do {
            queue = try DatabaseQueue(path: path, configuration: DatabaseCopy.configuration(readonly: true))
            original = nil
            damage = nil
            if let complaint = try DatabaseCopy.complaint(about: queue) {
                throw OpenFailure(message: complaint, isDamage: true)
            }
            try DatabaseCopy.refuseNewer(queue)
            catalog = try queue.read { try Catalog($0) }
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw OpenFailure(message: "cannot be read (\(DatabaseCopy.line(error)))")
        }
    }

    /// Closes the database; later calls throw.
    package func close() throws(OpenFailure) {
        do {
            try queue.close()
            try original?.close()
        } catch {
            throw OpenFailure(message: "cannot be closed (\(DatabaseCopy.line(error)))")
        }
    }

    /// Whether the original currently has a record; `true` if it is unknown.
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

    private static func source(_ path: String) throws(OpenFailure) -> ReadOnlyDatabase {
        do {
            return try ReadOnlyDatabase(path: path, configuration(readonly: true))
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw DatabaseCheck.failure("cannot be opened", error)
        }
    }

    /// The table of the class `_File`.
    var table: String? {
        catalog.entries[.file].map { ClassTable(number: $0.number).name }
    }

    /// The message of `quick_check`, the check of a restore; `nil` if the database is intact.
    private static func complaint(about queue: DatabaseQueue) throws -> String? {
        do {
            let complaints = try queue.read { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") }
            return complaints == ["ok"] ? nil : "is damaged (\(line(complaints.joined(separator: " "))))"
        } catch let error as DatabaseError where SQLiteFailure.fault(of: error) == .damaged {
            return "is damaged (\(line(error)))"
        }
    }

    /// Deletes unfinished uploads, the deletion queue and the trash: a copy has no bytes of them.
    private static func forgetWork(_ catalog: Catalog, _ db: Database) throws {
        for name in [ClassName.upload, .uploadPart, .deletion, .trash] {
            guard let number = catalog.entries[name]?.number else { continue }
            try db.execute(sql: "DELETE FROM \(ClassTable(number: number).name)")
        }
        guard let usage = catalog.entries[.usage]?.number else { return }
        try db.execute(
            sql: RowChecksum.update(
                ClassTable(number: usage).name,
                settingBody: """
                    json_set(body, '$.announced', 0, '$.uploads', 0, '$.trashBytes', 0, '$.trashFiles', 0)
                    """
            )
        )
    }

    /// Throws ``OpenFailure`` for a database with a migration that this version does not know.
    static func refuseNewer(_ queue: DatabaseQueue) throws {
        guard try queue.read(DatabaseMigrator.lcfile.hasBeenSuperseded) == false else {
            throw OpenFailure(message: "was written by a newer version of lcfile; use that version instead")
        }
    }

    /// Throws ``OpenFailure`` for a database in which no migration has run, such as a file that was replaced by an empty
    /// one.
    static func refuseEmpty(_ queue: DatabaseQueue) throws {
        guard try queue.read(DatabaseMigrator.lcfile.appliedIdentifiers).isEmpty else { return }
        throw OpenFailure(message: "is damaged: it has no table of lcfile", isDamage: true)
    }

    /// Throws ``OpenFailure`` for a newer database in a file.
    ///
    /// The file is opened for reading only: GRDB changes a database when it opens it for a server.
    static func refuseNewer(_ path: String) throws {
        // The first start creates it.
        guard access(path, F_OK) == 0 else { return }
        let reader = try DatabaseQueue(path: path, configuration: configuration(readonly: true))
        try refuseNewer(reader)
        try reader.close()
    }

    /// A message of SQLite on one line.
    static func line(_ description: Any) -> String {
        // A copy of pages fails with a code, for which the connection has no message.
        if let error = description as? DatabaseError, error.message == "not an error" {
            return "\(DatabaseError(resultCode: error.extendedResultCode))"
        }
        return "\(description)".split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    static func configuration(readonly: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = readonly
        configuration.busyMode = .timeout(5)
        configuration.label = "lcfile.copy"
        configuration.prepareDatabase { try RowChecksum.add(to: $0) }
        return configuration
    }
}
