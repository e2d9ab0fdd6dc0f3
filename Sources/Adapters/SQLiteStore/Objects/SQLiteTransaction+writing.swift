internal import Domain
internal import GRDB

extension SQLiteTransaction {
    var caller: Caller? {
        get { changes.caller }
        set { changes.caller = newValue }
    }

    func attempt<Result>(_ body: () throws -> Result) throws -> Result {
        let before = catalog
        let recorded = changes.mark
        var result: Result?
        do {
            try db.inSavepoint {
                result = try body()
                return .commit
            }
        } catch {
            catalog = before
            changes.undo(to: recorded)
            let failure = SQLiteFailure.translated(error)
            if StorageFault(failure) != nil { fault = failure as? ServiceError }
            throw failure
        }
        guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return result
    }

    func save(_ schema: ClassSchema) throws {
        try queries.health.requireSpace()
        try refusingDuplicates(in: schema) { try catalog.save(schema, db) }
    }

    func insert(_ object: StoredObject, into name: ClassName) throws {
        if let growth = StorageGrowth(newObjectIn: name) { try queries.health.requireSpace(for: growth) }
        guard let entry = catalog.entries[name] else { throw MissingClass(name: name) }
        let row = ObjectRow(object)
        let (acl, body) = try storedTexts(of: row, in: name)
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO \(ClassTable(number: entry.number).name) (id, created_at, updated_at, acl, body, checksum)
                VALUES (?1, ?2, ?3, ?4, ?5, \(RowChecksum.call(with: ["?1", "?2", "?3", "?4", "?5"])))
                """
        )
        try refusingDuplicates(in: entry.schema) {
            try statement.execute(
                arguments: [
                    object.id.description, object.createdAt.milliseconds, object.updatedAt.milliseconds, acl, body,
                ]
            )
        }
        changes.record(.created, object.id, in: name, after: ObjectState(row))
    }

    func update(_ object: StoredObject, in name: ClassName, from before: StoredObject?) throws {
        guard let entry = catalog.entries[name] else { throw MissingClass(name: name) }
        let before = try stateBeforeUpdate(of: object.id, in: name, known: before)
        if queries.health.isFull { try requireSpace(for: object, in: name) }
        let row = ObjectRow(object)
        let (acl, body) = try storedTexts(of: row, in: name)
        let statement = try db.cachedStatement(
            sql: """
                UPDATE \(ClassTable(number: entry.number).name) SET updated_at = ?1, acl = ?2, body = ?3, \
                checksum = \(RowChecksum.call(with: ["id", "created_at", "?1", "?2", "?3"])) WHERE id = ?4
                """
        )
        try refusingDuplicates(in: entry.schema) {
            try statement.execute(
                arguments: [object.updatedAt.milliseconds, acl, body, object.id.description]
            )
        }
        guard db.changesCount > 0 else { return }
        changed.append(Pointer(name, object.id))
        changes.record(.updated, object.id, in: name, before: before, after: ObjectState(row))
    }

    /// The ACL and the fields as the columns of a row; notes a string with U+0000.
    private func storedTexts(of row: ObjectRow, in name: ClassName) throws -> (acl: String?, body: String) {
        if row.body.hasEscapedZero { try catalog.noteZeros(in: name, db) }
        return (row.acl.map { String(decoding: $0, as: UTF8.self) }, String(decoding: row.body, as: UTF8.self))
    }

    /// The current object, if a subscriber uses the state before an update.
    private func stateBeforeUpdate(
        of id: ObjectID,
        in name: ClassName,
        known: StoredObject?
    ) throws -> ObjectState? {
        guard changes.wantsBefore(.updated, in: name) else { return nil }
        return try known.map { ObjectState($0) } ?? row(id, in: name).map { ObjectState($0) }
    }

    func delete(_ ids: [ObjectID], in name: ClassName) throws -> Set<ObjectID> {
        guard let entry = catalog.entries[name], !ids.isEmpty else { return [] }
        var before: [ObjectID: ObjectState] = [:]
        if changes.wantsBefore(.deleted, in: name) {
            // Further ones would find no room.
            for row in try rows(Set(ids), in: name, readableBy: .unrestricted, upTo: changes.room(for: name)) {
                before[row.id] = ObjectState(row)
            }
        }
        let list = IDList(ids)
        let statement = try db.cachedStatement(
            sql: "DELETE FROM \(ClassTable(number: entry.number).name) WHERE id \(list.test) RETURNING id"
        )
        let deleted = try String.fetchSet(statement, arguments: [list.argument])
        var found: Set<ObjectID> = []
        for id in ids where deleted.contains(id.description) && found.insert(id).inserted {
            changed.append(Pointer(name, id))
            changes.record(.deleted, id, in: name, before: before[id])
        }
        if !found.isEmpty { try forgetRelations(of: IDList(Array(found)), in: entry) }
        return found
    }

    /// Removes the relations of deleted objects, and their memberships in other objects' relations.
    private func forgetRelations(of deleted: IDList, in entry: Catalog.Entry) throws {
        for (key, _) in entry.schema.relations {
            try db.cachedStatement(sql: "DELETE FROM relation WHERE class = ? AND key = ? AND owner \(deleted.test)")
                .execute(arguments: [entry.number, key, deleted.argument])
        }
        for owner in catalog.entries.values {
            for (key, target) in owner.schema.relations where target == entry.schema.name {
                try db.cachedStatement(
                    sql: "DELETE FROM relation WHERE class = ? AND key = ? AND member \(deleted.test)"
                ).execute(arguments: [owner.number, key, deleted.argument])
            }
        }
    }

    func relate(_ owner: Pointer, _ key: String, to members: [ObjectID]) throws {
        try queries.health.requireSpace()
        guard let number = catalog.entries[owner.className]?.number else { return }
        let statement = try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO relation (class, key, owner, member) VALUES (?, ?, ?, ?)"
        )
        for member in members {
            try statement.execute(arguments: [number, key, owner.id.description, member.description])
        }
    }

    func unrelate(_ owner: Pointer, _ key: String, from members: [ObjectID]?) throws {
        guard let number = catalog.entries[owner.className]?.number else { return }
        let one = "DELETE FROM relation WHERE class = ? AND key = ? AND owner = ?"
        guard let members else {
            try db.cachedStatement(sql: one).execute(arguments: [number, key, owner.id.description])
            return
        }
        let statement = try db.cachedStatement(sql: "\(one) AND member = ?")
        for member in members {
            try statement.execute(arguments: [number, key, owner.id.description, member.description])
        }
    }

    func nextNumber(of field: String, in name: ClassName) throws -> Int64 {
        try queries.health.requireSpace()
        guard let entry = catalog.entries[name] else { return 1 }
        // Numbers that objects already have count as used. The next number exists also after the largest one.
        let largest = "\(Int64.max - 1)"
        let highest = """
            SELECT min(CAST(coalesce(max(\(SQLPath.value(FieldPath(field: field)))), 0) AS INTEGER), \(largest)) \
            FROM \(ClassTable(number: entry.number).name)
            """
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO counter (class, field, last) VALUES (?, ?, (\(highest)) + 1)
                ON CONFLICT (class, field) DO UPDATE SET last = min(max(last, (\(highest))), \(largest)) + 1
                RETURNING last
                """
        )
        return try Int64.fetchOne(statement, arguments: [entry.number, field]) ?? 1
    }

    /// Throws if the storage is full and the change adds data; a log-out changes the user without adding data.
    private func requireSpace(for object: StoredObject, in name: ClassName) throws {
        // A deletion changes the app's usage, and can change an upload before removing it.
        guard ![.usage, .upload].contains(name), let entry = catalog.entries[name] else { return }
        let former = try Int.fetchOne(
            db,
            sql: """
                SELECT length(CAST(body AS BLOB)) + coalesce(length(CAST(acl AS BLOB)), 0)
                FROM \(ClassTable(number: entry.number).name) WHERE id = ?
                """,
            arguments: [object.id.description]
        )
        let texts = [JSONValue.object(object.fields), object.acl.map { .object($0.json) }].compactMap(\.self)
        let size = texts.reduce(0) { $0 + (String.fromDatabaseValue($1.databaseValue)?.utf8.count ?? 0) }
        try queries.health.requireSpace(for: size > former ?? 0 ? .data : .small)
    }

    private func refusingDuplicates(in schema: ClassSchema, _ write: () throws -> Void) throws {
        do {
            try write()
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            let table = ClassTable(number: catalog.entries[schema.name]?.number ?? 0)
            let field = table.field(refusedBy: error.message ?? "", in: schema) ?? "objectId"
            throw ServiceError.duplicate(of: field, cause: error)
        }
    }
}

/// Ids as one argument of a statement, for any number of them.
private struct IDList {
    /// The test after the column's name.
    let test: String
    let argument: DatabaseValue

    init(_ ids: [ObjectID]) {
        if ids.count == 1 {
            test = "= ?"
            argument = ids[0].description.databaseValue
        } else {
            test = "IN (SELECT value FROM json_each(?))"
            argument = JSONValue.array(ids.map { .string($0.description) }).databaseValue
        }
    }
}

extension [UInt8] {
    /// Whether this JSON contains the escape of U+0000, also behind a backslash that is escaped itself.
    var hasEscapedZero: Bool {
        withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let start = rest.firstIndex(of: UInt8(ascii: "\\")) {
                if rest[start...].starts(with: #"\u0000"#.utf8) { return true }
                rest = rest[(start + 1)...]
            }
            return false
        }
    }
}

private struct MissingClass: Error {
    let name: ClassName
}
