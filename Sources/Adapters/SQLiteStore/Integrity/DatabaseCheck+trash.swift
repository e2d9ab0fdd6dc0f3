package import Domain
internal import GRDB

/// The entries of the trash, and the rows of the deletion queue that move their bytes.
extension DatabaseCheck {
    package func forEachTrashPage(_ body: ([FileEntry], [UnreadableRecord]) throws -> Void) throws {
        guard let table = table(of: .trash) else { return }
        var last: Int64 = 0
        while true {
            let rows = try page(of: table, at: FileRow.trashed, after: last)
            guard let end = rows.last else { return }
            try body(rows.compactMap(\.file), rows.filter { $0.file == nil }.map(\.broken))
            last = end.number
        }
    }

    package func files(ofEntries entries: [ObjectID]) throws -> [ObjectID: ObjectID] {
        guard let table = table(of: .trash) else { return [:] }
        return try work { db in
            let file = "CASE WHEN json_valid(body) THEN json_extract(body, '$.file') END"
            let statement = try db.makeStatement(sql: "SELECT \(file) FROM \(table) WHERE id = ?")
            var files: [ObjectID: ObjectID] = [:]
            for entry in entries {
                let value = try DatabaseValue.fetchOne(statement, arguments: [entry.description])
                files[entry] = value.flatMap { String.fromDatabaseValue($0) }.flatMap { ObjectID($0) }
            }
            return files
        }
    }

    package func hasTrashEntry(_ id: ObjectID) throws -> Bool {
        guard let table = table(of: .trash) else { return false }
        return try has(id, in: table)
    }

    package func isMovingToTrash(_ id: ObjectID) throws -> Bool {
        guard let table = table(of: .deletion) else { return false }
        return try has(id, in: table)
    }

    package func withoutTrashEntry(_ ids: [ObjectID]) throws -> [ObjectID] {
        let tables = [ClassName.trash, .deletion].compactMap(table(of:))
        let isKnown = tables.map { "EXISTS (SELECT 1 FROM \($0) WHERE id = ?1)" }.joined(separator: " OR ")
        return try work { db in
            let statement = try db.makeStatement(sql: "SELECT \(isKnown)")
            return try ids.filter { try Bool.fetchOne(statement, arguments: [$0.description]) != true }
        }
    }
}
