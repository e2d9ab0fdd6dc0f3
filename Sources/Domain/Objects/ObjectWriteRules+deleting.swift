/// How objects are deleted, with what belongs to them.
extension ObjectWriteRules {
    /// Deletes objects; missing objects are not errors.
    ///
    /// - Parameters:
    ///   - ids: The objects.
    ///   - name: Their class.
    ///   - condition: The condition that must hold for each of them; `nil` for none.
    /// - Returns: An empty reply.
    /// - Throws: ``ServiceError/Code/timedOut`` for several objects that take too long; errors of the rules.
    func delete(_ ids: [ObjectID], in name: ClassName, where condition: Condition?) throws -> ObjectReply {
        if name != .file, name != .session { try requireChangeable(name, by: .delete) }
        let reply = ObjectReply([:])
        guard let schema = try writer.schema(of: name) else { return reply }
        try access.require(.delete, in: schema)
        var removal = Removal()
        var known: [ObjectID: ObjectRow] = [:]
        // The deletion of an earlier object can change what a condition compares: then each is carried out by itself.
        let readsTogether = ids.count > 1 && condition == nil
        let time = TransactionTime(
            settings.transactionTime,
            of: "The deletion of \(ids.count) objects",
            objects: ids.count
        )
        for (index, id) in ids.enumerated() {
            try time.acceptObject()
            try access.require(.delete, of: id, in: schema)
            if readsTogether, index.isMultiple(of: Removal.rowsAtOnce) {
                known = try rows(ids[index...].prefix(Removal.rowsAtOnce), in: name)
            }
            guard !removal.contains(id), let row = try readsTogether ? known[id] : writer.row(id, in: name) else {
                try require(condition, of: id, in: schema)
                continue
            }
            try access.requireWriting(.delete, row, in: schema)
            if name == .friendshipRequest { try requireDeletable(row) }
            try require(condition, of: id, in: schema)
            try removal.add(row, in: name)
            if condition != nil { try carryOut(&removal, in: name, within: time) }
        }
        try carryOut(&removal, in: name, within: time)
        return reply
    }

    /// The rows of objects that are deleted together, with what the rules of their deletion read.
    ///
    /// They come by one statement, because a distant database takes a round trip for each.
    private func rows(_ ids: ArraySlice<ObjectID>, in name: ClassName) throws -> [ObjectID: ObjectRow] {
        let found = try writer.rows(
            Set(ids),
            in: name,
            readableBy: .unrestricted,
            upTo: .max,
            reading: Removal.classesWithFields.contains(name) ? nil : .acl
        )
        return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Deletes what was collected, and what belongs to it.
    private func carryOut(_ removal: inout Removal, in name: ClassName, within time: TransactionTime) throws {
        guard !removal.ids.isEmpty else { return }
        try writer.delete(removal.ids, in: name)
        if name == .user {
            try writer.removeTraces(of: removal.ids)
            for user in removal.ids {
                try time.acceptObject()
                try writer.forgetPeople(of: user, ids: settings.ids, at: settings.clock())
            }
        }
        if !removal.linked.isEmpty {
            try writer.removeLinks(
                of: removal.linked,
                in: name,
                ids: settings.ids,
                at: settings.clock(),
                within: time
            )
        }
        if !removal.files.isEmpty { try release(removal.files, within: time) }
        removal = Removal()
    }

    /// Puts deleted files into the trash, or queues the removal of their bytes.
    private func release(_ files: [StoredObject], within time: TransactionTime) throws {
        let now = settings.clock()
        if settings.trash.keep > 0 {
            try writer.moveToTrash(
                files,
                for: settings.trash.keep,
                because: .deleted,
                by: access.caller,
                at: now,
                ids: settings.ids
            )
        } else {
            let stored = files.compactMap(StoredFile.init)
            if !stored.isEmpty { try writer.releaseBytes(of: stored, at: now, ids: settings.ids) }
        }
        guard settings.hasMirror else { return }
        for key in files.compactMap(\.fileKey) {
            try time.acceptObject()
            try writer.markGone([key], at: now, ids: settings.ids)
        }
    }
}

/// Objects to delete together, with the records of files among them.
private struct Removal {
    private(set) var ids: [ObjectID] = []
    private(set) var files: [StoredObject] = []
    /// The objects to which others belong.
    private(set) var linked: [StoredObject] = []
    private var members: Set<ObjectID> = []

    /// The number of rows that one statement reads; PostgreSQL sends so many without a cursor.
    static let rowsAtOnce = 128

    /// The classes to whose objects others belong.
    private static let linkedClasses: Set<ClassName> = [.follower, .followee, .status]
    /// The classes whose fields the rules of a deletion read.
    static let classesWithFields = linkedClasses.union([.file, .friendshipRequest])

    func contains(_ id: ObjectID) -> Bool { members.contains(id) }

    mutating func add(_ row: ObjectRow, in name: ClassName) throws {
        ids.append(row.id)
        members.insert(row.id)
        if Removal.linkedClasses.contains(name) { linked.append(try row.object()) }
        if name == .file { files.append(try row.object()) }
    }
}
