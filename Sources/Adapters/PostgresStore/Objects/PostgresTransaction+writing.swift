internal import Domain

extension PostgresTransaction {
    var caller: Caller? {
        get { changes.caller }
        set { changes.caller = newValue }
    }

    func attempt<Result>(_ body: () throws -> Result) throws -> Result {
        if let failure { throw failure }
        let (before, recorded, loggedCount) = (catalog, changes.mark, logged.count)
        attempts += 1
        depth += 1
        defer { depth -= 1 }
        let savepoint = "SAVEPOINT a\(attempts)"
        connection.later(savepoint)
        do {
            let result = try body()
            // An error that the body caught has ended the transaction.
            if let failure { throw failure }
            if !connection.cancelLater(savepoint) { connection.later("RELEASE \(savepoint)") }
            return result
        } catch {
            catalog = before
            changes.undo(to: recorded)
            logged.keepFirst(loggedCount)
            if let failure, mustRunAgain(failure) { throw failure }
            // The whole body runs again once they are built, also if it caught the error.
            let missing = failure as? MissingIndexes
            if missing == nil || depth == 1 { failure = nil }
            if !connection.cancelLater(savepoint) {
                connection.later("ROLLBACK TO \(savepoint)")
                connection.later("RELEASE \(savepoint)")
            }
            throw missing ?? error
        }
    }

    /// Whether the whole transaction has failed, and not only what an attempt can undo.
    private func mustRunAgain(_ failure: any Error) -> Bool {
        (failure as? PostgresError)?.isLoss == true || failure is CatalogIsOld
            || failure is PostgresConnection.DeferredFailure
    }

    func save(_ schema: ClassSchema) throws {
        try calling {
            guard let builder else { throw MissingClass(name: schema.name) }
            do {
                try refusingDuplicates(in: schema) { try catalog.save(schema, connection, builder) }
            } catch let error as PostgresError where error.isLockTimeout {
                let refusal = ServiceError.classInUse(cause: error)
                // PostgreSQL has ended the transaction.
                failure = refusal
                throw refusal
            }
        }
    }

    func insert(_ object: StoredObject, into name: ClassName) throws {
        try calling {
            guard let entry = catalog.entries[name] else { throw MissingClass(name: name) }
            let row = ObjectRow(object)
            try refusingDuplicates(in: entry.schema) {
                try write(
                    """
                    INSERT INTO \(sql: entry.table) (id, created_at, updated_at, acl, readers, body, keys) VALUES (\
                    \(row.id.description), \(row.createdAt.milliseconds), \(row.updatedAt.milliseconds), \
                    \(text: row.acl), \(object.readers), \(text: row.body), \
                    \(json: ObjectKeys.encoded(object.fields)))
                    """
                )
            }
            changes.record(.created, object.id, in: name, after: ObjectState(row))
            logged.append(LoggedChange(className: name, id: object.id, kind: .created, after: row))
        }
    }

    func update(_ object: StoredObject, in name: ClassName, from before: StoredObject?) throws {
        try calling {
            guard let entry = catalog.entries[name] else { throw MissingClass(name: name) }
            guard let former = try before.map({ ObjectRow($0) }) ?? row(object.id, in: name) else { return }
            let new = ObjectRow(object)
            let statement: SQL = """
                UPDATE \(sql: entry.table) SET updated_at = \(new.updatedAt.milliseconds), acl = \(text: new.acl), \
                readers = \(object.readers), body = \(text: new.body), \
                keys = \(json: ObjectKeys.encoded(object.fields)) WHERE id = \(new.id.description)
                """
            if isDeferring {
                // The object is there, unless the body has deleted it itself. Then the division by zero ends the
                // transaction, whose commit can be on its way already.
                try write("WITH changed AS (\(statement) RETURNING 1) SELECT 1 / count(*) FROM changed")
            } else {
                let result = try refusingDuplicates(in: entry.schema) { try run(statement) }
                guard result.changedCount > 0 else { return }
            }
            changes.record(.updated, object.id, in: name, before: ObjectState(former), after: ObjectState(new))
            logged.append(
                LoggedChange(className: name, id: object.id, kind: .updated, before: former, after: new)
            )
        }
    }

    func delete(_ ids: [ObjectID], in name: ClassName) throws -> Set<ObjectID> {
        try calling {
            guard let entry = catalog.entries[name], !ids.isEmpty else { return [] }
            var found: Set<ObjectID> = []
            for start in stride(from: 0, to: ids.count, by: PostgresTransaction.rowsAtOnce) {
                let some = ids[start..<min(start + PostgresTransaction.rowsAtOnce, ids.count)]
                found.formUnion(try deleteRows(some, in: entry))
            }
            if !found.isEmpty { try forgetRelations(of: found, in: entry) }
            return found
        }
    }

    /// The number of objects that one statement deletes, because their rows are in memory together.
    private static let rowsAtOnce = 128

    /// Deletes rows and records the changes, in the order of the ids; returns the ids of those that existed.
    private func deleteRows(_ ids: ArraySlice<ObjectID>, in entry: PostgresCatalog.Entry) throws -> Set<ObjectID> {
        let result = try run(
            "DELETE FROM \(sql: entry.table) WHERE id = ANY(\(ids)) RETURNING \(sql: ConditionSQL.columns)"
        )
        var deleted: [ObjectID: ObjectRow] = [:]
        for row in 0..<result.count {
            let object = try result.object(row)
            deleted[object.id] = object
        }
        var found: Set<ObjectID> = []
        let name = entry.schema.name
        for id in ids {
            guard let row = deleted[id], found.insert(id).inserted else { continue }
            changes.record(.deleted, id, in: name, before: ObjectState(row))
            logged.append(LoggedChange(className: name, id: id, kind: .deleted, before: row))
        }
        return found
    }

    /// Removes the relations of deleted objects, and their memberships in other objects' relations.
    private func forgetRelations(of deleted: Set<ObjectID>, in entry: PostgresCatalog.Entry) throws {
        for (key, _) in entry.schema.relations {
            try write(
                "DELETE FROM relation WHERE class = \(entry.number) AND key = \(key) AND owner = ANY(\(deleted))"
            )
        }
        for owner in catalog.entries.values {
            for (key, target) in owner.schema.relations where target == entry.schema.name {
                try write(
                    "DELETE FROM relation WHERE class = \(owner.number) AND key = \(key) AND member = ANY(\(deleted))"
                )
            }
        }
    }

    func relate(_ owner: Pointer, _ key: String, to members: [ObjectID]) throws {
        try calling {
            guard let number = catalog.entries[owner.className]?.number else { return }
            try write(
                """
                INSERT INTO relation (class, key, owner, member) \
                SELECT \(number), \(key), \(owner.id.description), member FROM unnest(\(members)) AS list (member) \
                ON CONFLICT DO NOTHING
                """
            )
        }
    }

    func unrelate(_ owner: Pointer, _ key: String, from members: [ObjectID]?) throws {
        try calling {
            guard let number = catalog.entries[owner.className]?.number else { return }
            let which: SQL = members.map { " AND member = ANY(\($0))" } ?? ""
            try write(
                """
                DELETE FROM relation WHERE class = \(number) AND key = \(key) \
                AND owner = \(owner.id.description)\(which)
                """
            )
        }
    }

    func nextNumber(of field: String, in name: ClassName) throws -> Int64 {
        try calling {
            guard let entry = catalog.entries[name] else { return 1 }
            let key = KeySQL.key(FieldPath(field: field), in: entry.schema)
            // Numbers that objects already have count as used.
            let highest = try run(
                """
                SELECT \(sql: key) FROM \(sql: entry.table) WHERE \(sql: key) IS NOT NULL \
                ORDER BY \(sql: KeySQL.beginning(key)) DESC NULLS LAST LIMIT 1
                """
            )
            let used = highest.count == 0 ? nil : highest.text(0, 0)?.dropFirst()
            // The next number exists also after the largest one.
            let least = min(used.map { NumberKey.wholeNumber($0) } ?? 0, .max - 1)
            let result = try run(
                """
                INSERT INTO counter AS known (class, field, last) VALUES (\(entry.number), \(field), \(least) + 1) \
                ON CONFLICT (class, field) DO UPDATE \
                SET last = least(greatest(known.last, \(least)), \(Int64.max - 1)) + 1 RETURNING last
                """
            )
            return result.integer(0, 0) ?? 1
        }
    }

    private func refusingDuplicates<Result>(in schema: ClassSchema, _ write: () throws -> Result) throws -> Result {
        do {
            return try write()
        } catch let error as PostgresError where error.isDuplicate {
            let number = catalog.entries[schema.name]?.number ?? 0
            let field = ClassTable(number).field(refusedBy: error.constraint, in: schema) ?? "objectId"
            let refusal = ServiceError.duplicate(of: field, cause: error)
            // PostgreSQL has ended the transaction.
            failure = refusal
            throw refusal
        }
    }
}

extension StoredObject {
    /// The entries of the ACL that grant read access; `*` without an ACL.
    var readers: [String] {
        guard let acl else { return [AccessControlList.everyoneEntry] }
        return acl.json.filter { $0.value.objectValue?["read"] == .bool(true) }.keys.map(ObjectKeys.escaped).sorted()
    }
}

private struct MissingClass: Error {
    let name: ClassName
}
