/// How objects are deleted, with what belongs to them.
extension ObjectWriteRules {
    /// Deletes objects; missing objects are not errors.
    func delete(_ ids: [ObjectID], in name: ClassName, where condition: Condition?) throws -> ObjectReply {
        if name != .file, name != .session { try requireChangeable(name, by: .delete) }
        let reply = ObjectReply([:])
        guard let schema = try writer.schema(of: name) else { return reply }
        try access.require(.delete, in: schema)
        var removal = Removal()
        for id in ids {
            try access.require(.delete, of: id, in: schema)
            guard !removal.contains(id), let row = try writer.row(id, in: name) else {
                try require(condition, of: id, in: schema)
                continue
            }
            try access.requireWriting(.delete, row, in: schema)
            if name == .friendshipRequest { try requireDeletable(row) }
            try require(condition, of: id, in: schema)
            try removal.add(row, in: name)
            // The condition can compare data that the deletion of an earlier object changes.
            if condition != nil { try carryOut(&removal, in: name) }
        }
        try carryOut(&removal, in: name)
        return reply
    }

    private func carryOut(_ removal: inout Removal, in name: ClassName) throws {
        guard !removal.ids.isEmpty else { return }
        try writer.delete(removal.ids, in: name)
        if name == .user {
            try writer.removeTraces(of: removal.ids)
            try writer.forgetPeople(removal.ids, ids: settings.ids, at: settings.clock())
        }
        if !removal.linked.isEmpty {
            try writer.removeLinks(of: removal.linked, in: name, ids: settings.ids, at: settings.clock())
        }
        if !removal.files.isEmpty { try release(removal.files) }
        removal = Removal()
    }

    /// Puts deleted files into the trash, or queues the removal of their bytes.
    private func release(_ files: [StoredObject]) throws {
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
        if settings.hasMirror { try writer.markGone(files.compactMap(\.fileKey), at: now, ids: settings.ids) }
    }
}

/// Objects to delete together, with the records of files among them.
private struct Removal {
    private(set) var ids: [ObjectID] = []
    private(set) var files: [StoredObject] = []
    /// The objects to which others belong.
    private(set) var linked: [StoredObject] = []
    private var members: Set<ObjectID> = []

    func contains(_ id: ObjectID) -> Bool { members.contains(id) }

    mutating func add(_ row: ObjectRow, in name: ClassName) throws {
        ids.append(row.id)
        members.insert(row.id)
        if [.follower, .followee, .status].contains(name) { linked.append(try row.object()) }
        if name == .file { files.append(try row.object()) }
    }
}
