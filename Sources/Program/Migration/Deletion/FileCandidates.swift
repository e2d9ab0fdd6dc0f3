package import FileClient
internal import GRDB

/// The files that a deletion has selected, in its journal; their number does not matter to memory.
///
/// A candidate is an item in state ``ItemState/waiting``. Its fingerprint is the file's key.
package struct FileCandidates: Sendable {
    /// The kind of item.
    package static let kind = "file"

    private let journal: Journal

    /// The candidates of a selection that is complete.
    package init(selectedIn journal: Journal) {
        self.journal = journal
    }

    /// Begins a selection; the candidates of an earlier one are forgotten.
    package static func select(in journal: Journal) async throws -> FileCandidates {
        try await journal.write { try $0.execute(sql: "DELETE FROM item WHERE state = 0") }
        return FileCandidates(selectedIn: journal)
    }

    /// Adds files; those that are deleted already or failed before are left as they are.
    package func add(_ records: [FileRecord]) async throws {
        try await journal.write { database in
            let statement = try database.cachedStatement(
                sql: """
                    INSERT OR IGNORE INTO item (kind, name, fingerprint, size, state, pass, objectId)
                      VALUES (?, ?, ?, ?, 0, 0, ?)
                    """
            )
            for record in records {
                let id = record.objectId
                try statement.execute(
                    arguments: [FileCandidates.kind, id, record.key ?? "", record.size ?? 0, id]
                )
            }
        }
    }

    /// Adds something that was named and is no file.
    package func refuse(_ name: String, because reason: String) async throws {
        try await journal.refuse(name, of: FileCandidates.kind, because: reason)
    }

    /// Makes files that failed before candidates again.
    package func addFailed() async throws {
        try await journal.write { database in
            try database.execute(sql: "UPDATE item SET state = 0, pass = 0 WHERE state = 2 AND objectId IS NOT NULL")
        }
    }

    /// Marks the candidates among some files, which ``removeUnmarked()`` leaves.
    ///
    /// - Parameter objectIds: The files.
    /// - Throws: ``MigrationError`` if the journal cannot be written.
    func mark(_ objectIds: [String]) async throws {
        try await journal.write { database in
            // The pass of a candidate is that of no process: 0, or -1 with a mark.
            let statement = try database.cachedStatement(
                sql: "UPDATE item SET pass = -1 WHERE kind = ? AND name = ? AND state = 0"
            )
            for id in objectIds { try statement.execute(arguments: [FileCandidates.kind, id]) }
        }
    }

    /// Removes all candidates that are not marked.
    func removeUnmarked() async throws {
        try await journal.write { try $0.execute(sql: "DELETE FROM item WHERE state = 0 AND pass != -1") }
    }

    /// The number of candidates and the sum of their sizes.
    package var totals: ItemTotals {
        get async throws { try await journal.totals()[FileCandidates.kind]?[.waiting] ?? ItemTotals() }
    }

    /// The first candidates by objectId.
    package func examples(_ limit: Int) async throws -> [String] {
        try await journal.write { database in
            try String.fetchAll(database, sql: "SELECT name FROM item WHERE state = 0 LIMIT ?", arguments: [limit])
        }
    }
}

/// A file that is deleted.
package struct FileCandidate: MigrationItem {
    /// The objectId.
    package let name: String
    /// The number of bytes.
    package let size: Int64?
    /// The key.
    package let fingerprint: String
    /// The objectId.
    package var objectId: String? { name }
}

/// The candidates of a journal, in the order in which they were selected.
package struct CandidateSource: ItemSource {
    private let journal: Journal
    private var page: ArraySlice<FileCandidate> = []
    private var last: Int64 = 0

    /// Reads nothing yet.
    package init(_ journal: Journal) {
        self.journal = journal
    }

    /// The next candidate.
    package mutating func next() throws -> SourceElement<FileCandidate>? {
        if page.isEmpty {
            let rows = try journal.database.read { [last] database in
                let sql = """
                    SELECT id, name, size, fingerprint FROM item WHERE state = 0 AND id > ? ORDER BY id LIMIT 1000
                    """
                return try Row.fetchAll(database, sql: sql, arguments: [last])
            }
            page = rows.map { FileCandidate(name: $0["name"], size: $0["size"], fingerprint: $0["fingerprint"]) }[...]
            last = rows.last?["id"] ?? last
        }
        return page.popFirst().map { .item($0) }
    }
}
