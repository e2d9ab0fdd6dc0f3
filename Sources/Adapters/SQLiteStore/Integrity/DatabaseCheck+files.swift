package import Domain
internal import FoundationEssentials
internal import GRDB

/// The comparison of records and blobs, whose two sides meet in temporary tables.
extension DatabaseCheck {
    package func listFiles(_ progress: (Int) -> Void) throws -> FileTotals {
        let table = try fileTable()
        try work { db in
            try db.execute(
                sql: """
                    CREATE TEMP TABLE IF NOT EXISTS listed (name BLOB, number INTEGER);
                    CREATE TEMP TABLE IF NOT EXISTS file (
                        name BLOB, number INTEGER, PRIMARY KEY (name, number)
                    ) WITHOUT ROWID;
                    CREATE TEMP TABLE IF NOT EXISTS unnamed (name BLOB PRIMARY KEY) WITHOUT ROWID;
                    DELETE FROM listed; DELETE FROM file; DELETE FROM unnamed;
                    """
            )
        }
        var totals = FileTotals()
        var last: Int64 = 0
        while true {
            let rows = try page(of: table, at: "$", after: last)
            guard let end = rows.last else { break }
            try work { db in
                let insert = try db.makeStatement(sql: "INSERT INTO listed VALUES (?, ?)")
                for row in rows {
                    guard let file = row.file else { continue }
                    try insert.execute(arguments: [BlobName(file.key).bytes, row.number])
                    totals.files += 1
                    totals.bytes += file.facts.size
                }
            }
            for row in rows where row.file == nil && totals.unreadable.count < DatabaseCheck.maxUnreadable {
                totals.unreadable.append(row.broken)
            }
            last = end.number
            progress(totals.files)
        }
        // SQLite sorts in a file; inserting in the order of digests would read the whole table for each.
        try work { db in
            try db.execute(sql: "INSERT INTO file SELECT name, number FROM listed ORDER BY 1, 2; DROP TABLE listed")
        }
        return totals
    }

    private static var maxUnreadable: Int { 1000 }

    package func files(beginningWith byte: UInt8) throws -> [NamedFile] {
        let table = try fileTable()
        return try work { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(FileRow.columns()) FROM \(table) WHERE number IN (
                        SELECT number FROM temp.file WHERE name BETWEEN ? AND ?
                    )
                    """,
                arguments: [Data([byte]), DatabaseCheck.end(of: byte)]
            )
            // A record that was changed meanwhile can have another key, and none that was deleted is here.
            return rows.compactMap { FileRow(row: $0).file.map(NamedFile.init) }.sorted { $0.blob < $1.blob }
        }
    }

    /// Behind all names that begin with a byte.
    private static func end(of byte: UInt8) -> Data { Data([byte]) + Data(repeating: .max, count: 32) }

    package func damagedFiles(limit: Int) throws -> Set<ObjectID> {
        guard let table = table(of: .damage) else { return [] }
        return try work { db in
            let ids = try String.fetchAll(
                db,
                sql: """
                    SELECT json_extract(body, '$.file') FROM \(table)
                    WHERE json_valid(body) AND json_extract(body, '$.file') IS NOT NULL LIMIT ?
                    """,
                arguments: [limit]
            )
            return Set(ids.compactMap { ObjectID($0) })
        }
    }

    package func has(_ file: FileEntry) throws -> Bool {
        let table = try fileTable()
        return try work { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM \(table) WHERE id = ? AND json_valid(body) AND json_extract(body, '$.key') = ?
                    )
                    """,
                arguments: [file.id.description, file.key.description]
            ) ?? false
        }
    }

    package func noteUnnamed(_ blobs: [BlobName]) throws {
        try work { db in
            let insert = try db.makeStatement(sql: "INSERT OR IGNORE INTO temp.unnamed VALUES (?)")
            for blob in blobs { try insert.execute(arguments: [blob.bytes]) }
        }
    }

    package func dropNamed(besides notes: [BlobName]) throws {
        try work { db in
            for note in notes {
                try db.execute(sql: "DELETE FROM temp.unnamed WHERE name = ?", arguments: [note.bytes])
            }
        }
        // A record that is inserted now has its blob's note in the list, or is among the rows that are read below; one
        // that is deleted is in the deletion queue, which is read last.
        for name in [ClassName.file, .deletion] {
            guard let table = table(of: name) else { continue }
            var last: Int64 = 0
            while let end = try lastNumber(of: table, after: last) {
                try work { db in
                    try db.execute(
                        sql: """
                            DELETE FROM temp.unnamed WHERE name IN (
                                SELECT blob_name(CASE WHEN json_valid(body) THEN json_extract(body, '$.key') END)
                                FROM \(table) WHERE number > ? AND number <= ?
                            )
                            """,
                        arguments: [last, end]
                    )
                }
                last = end
            }
        }
    }

    package func unnamed(after name: BlobName?, limit: Int) throws -> [BlobName] {
        try work { db in
            let names = try Data.fetchAll(
                db,
                sql: "SELECT name FROM temp.unnamed WHERE name > ? ORDER BY name LIMIT ?",
                arguments: [name?.bytes ?? Data(), limit]
            )
            return names.compactMap { BlobName(bytes: $0) }
        }
    }

    /// The number of the last row of the next page; `nil` if there is none.
    func lastNumber(of table: String, after number: Int64) throws -> Int64? {
        try work { db in
            try Int64.fetchOne(
                db,
                sql: "SELECT max(number) FROM (SELECT number FROM \(table) WHERE number > ? ORDER BY number LIMIT ?)",
                arguments: [number, DatabaseCheck.pageSize]
            )
        }
    }

    /// Runs a body outside a transaction, so that each of its statements sees the newest state.
    ///
    /// - Throws: ``OpenFailure`` for errors of the database.
    func work<Result>(_ body: (Database) throws -> Result) throws -> Result {
        do {
            return try queue.writeWithoutTransaction(body)
        } catch let error as DatabaseError {
            throw DatabaseCheck.failure("cannot be read", error)
        }
    }

    func fileTable() throws -> String {
        guard let table = table(of: .file) else { throw OpenFailure(message: "has no class _File") }
        return table
    }

    /// The next rows of files with bytes, whose records' fields have a path in the body.
    func page(of table: String, at path: String, after number: Int64) throws -> [FileRow] {
        try work { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(FileRow.columns(at: path)) FROM \(table)
                    WHERE number > ? AND \(FileRow.hasBytes(at: path))
                    ORDER BY number LIMIT \(DatabaseCheck.pageSize)
                    """,
                arguments: [number]
            ).map(FileRow.init(row:))
        }
    }
}
