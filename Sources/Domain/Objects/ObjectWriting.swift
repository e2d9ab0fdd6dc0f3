/// Changes of objects inside one transaction, for one caller.
struct ObjectWriting {
    let writer: any ObjectWriter
    let caller: Caller
    let settings: ObjectSettings

    /// Carries out a command; what it changes stays only if it does not throw.
    func perform(_ command: ObjectCommand) throws -> ObjectReply {
        switch command.action {
        case .create(let change, let returnsObject):
            try create(change, in: command.className, returnsObject: returnsObject)
        case .update(let id, let change, let condition, let returnsObject):
            try update(id, change, in: command.className, where: condition, returnsObject: returnsObject)
        case .delete(let ids, let condition):
            try delete(ids, in: command.className, where: condition)
        case .get, .find:
            try reading.perform(command)
        }
    }

    private var reading: ObjectReading {
        ObjectReading(reader: writer, caller: caller, settings: settings)
    }

    private func create(_ change: ObjectChange, in name: ClassName, returnsObject: Bool) throws -> ObjectReply {
        try requireWritable(name)
        let known = try writer.schema(of: name)
        var editing = ObjectEditing(
            schema: try known ?? writer.newClass(name, within: settings.limits),
            object: newObject(acl: change.acl),
            touching: nil,
            caller: caller,
            limits: settings.limits
        )
        try editing.apply(change)
        for (field, definition) in editing.schema.fields where definition.isAutoIncrement {
            editing.object.fields[field] = .integer(try writer.nextNumber(of: field, in: name))
        }
        try editing.finish()
        if editing.schema != known { try writer.save(editing.schema) }
        try writer.insert(editing.object, into: name)
        try editing.relate(in: writer)

        let object = editing.object
        var reply = ObjectReply([
            "objectId": .string(object.id.description),
            "createdAt": .string(object.createdAt.iso8601),
        ])
        if returnsObject {
            reply.text = try reading.presenter.text(of: ObjectRow(object), in: editing.schema, view: .plain)
        }
        reply.created = Pointer(name, object.id)
        return reply
    }

    private func update(
        _ id: ObjectID,
        _ change: ObjectChange,
        in name: ClassName,
        where condition: Condition?,
        returnsObject: Bool
    ) throws -> ObjectReply {
        guard name != .file else {
            throw ServiceError(.forbidden, "Forbidden: files are immutable; upload another one instead.")
        }
        try requireWritable(name)
        guard let known = try writer.schema(of: name), let object = try writer.object(id, in: name) else {
            throw ServiceError(.badRequest, "Could not find object by id '\(id)' for class '\(name)'.")
        }
        try require(condition, of: id, in: known)
        var editing = ObjectEditing(
            schema: known,
            object: object,
            touching: change.fields,
            caller: caller,
            limits: settings.limits
        )
        try editing.apply(change)
        editing.object.acl = change.acl ?? object.acl
        editing.object.updatedAt = max(settings.clock(), object.updatedAt)
        try editing.finish()
        if editing.schema != known { try writer.save(editing.schema) }
        try writer.update(editing.object, in: name)
        try editing.relate(in: writer)

        let reply: [String: JSONValue] = [
            "objectId": .string(id.description),
            "updatedAt": .string(editing.object.updatedAt.iso8601),
        ]
        if returnsObject {
            let touched = change.fields.union(editing.schema.relations.map(\.key))
            var shown = ObjectView.plain
            shown.keys = PathTree(touched + ["objectId"], depth: 1)
            shown.hidden = ["createdAt"]
            let row = ObjectRow(editing.object)
            return ObjectReply(text: try reading.presenter.text(of: row, in: editing.schema, view: shown), found: 1)
        }
        return ObjectReply(reply)
    }

    /// Removes objects; those that are gone already are no error.
    private func delete(_ ids: [ObjectID], in name: ClassName, where condition: Condition?) throws -> ObjectReply {
        if name == .file { try caller.requireMaster(to: "delete") } else { try requireWritable(name) }
        var reply = ObjectReply([:])
        guard let schema = try writer.schema(of: name) else { return reply }
        for id in ids {
            if condition != nil { try require(condition, of: id, in: schema) }
            let key = name == .file ? try writer.object(id, in: name)?.fields["key"]?.stringValue : nil
            if try writer.delete(id, in: name), let key = key.flatMap(FileKey.init) { reply.removedFiles.append(key) }
        }
        return reply
    }

    /// Throws unless the condition holds for the object, or there is none (data-protocol 3.1).
    private func require(_ condition: Condition?, of id: ObjectID, in schema: ClassSchema) throws {
        guard let condition else { return }
        let isObject = Condition.field(FieldPath(field: "objectId"), .equals(.string(id.description)))
        let resolved = try ConditionResolver(reader: writer, caller: caller).resolve(condition, in: schema)
        guard try writer.count(.all([isObject, resolved]), in: schema.name) == 1 else {
            throw ServiceError(.noEffect, "No effect on updating/deleting a document.")
        }
    }

    private func newObject(acl: AccessControlList?) -> StoredObject {
        let now = settings.clock()
        return StoredObject(id: settings.ids.next(), createdAt: now, updatedAt: now, acl: acl, fields: [:])
    }

    /// Clients may not write into classes that have rules of their own, nor invent built-in ones.
    private func requireWritable(_ name: ClassName) throws {
        switch name {
        case .user, .role:
            throw ServiceError(.notAvailable, "Users and roles are not available on this server yet.")
        case .file:
            throw ServiceError(.notAvailable, "A file's record is made by an upload: POST /1.1/files.")
        case .installation:
            break
        default:
            guard !name.isBuiltIn else {
                throw ServiceError(
                    .invalidClassName,
                    "Invalid class name '\(name)': classes that begin with '_' are built in."
                )
            }
        }
    }
}
