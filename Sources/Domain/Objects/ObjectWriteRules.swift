/// Changes of objects inside one transaction, for one caller.
struct ObjectWriteRules {
    let writer: any WriteTransaction
    let access: ObjectAccess
    let settings: ObjectSettings
    /// Evaluates the conditions of changes.
    let conditions: ConditionCheck
    /// Counts the users that are created.
    let signUps: SignUps
    /// Counts the mails that are queued.
    let mails: TakenMessages
    /// Counts the SMS that are queued.
    let sms: TakenMessages

    /// Creates the rules for a caller who was looked up in the same transaction.
    init(
        writer: any WriteTransaction,
        access: ObjectAccess,
        settings: ObjectSettings,
        conditions: ConditionCheck,
        signUps: SignUps,
        mails: TakenMessages,
        sms: TakenMessages
    ) {
        self.writer = writer
        self.access = access
        self.settings = settings
        self.conditions = conditions
        self.signUps = signUps
        self.mails = mails
        self.sms = sms
        writer.caller = access.caller
    }

    /// The rules for another caller, who was looked up in the same transaction.
    func acting(as caller: Caller) -> ObjectWriteRules {
        ObjectWriteRules(
            writer: writer,
            access: ObjectAccess(caller: caller),
            settings: settings,
            conditions: conditions,
            signUps: signUps,
            mails: mails,
            sms: sms
        )
    }

    /// Performs a command; its changes are applied only if it does not throw.
    func perform(_ command: ObjectCommand) throws -> ObjectReply {
        let name = command.className
        // Within one transaction, some commands run as a user whom earlier commands logged in.
        writer.caller = access.caller
        switch command.action {
        case .create(let change, _) where name == .user:
            return try signUp(change, onlyKnown: command.mustExist)
        case .create(let change, let returnsObject) where name == .file:
            return try createFile(change, returnsObject: returnsObject)
        case .create(let change, let returnsObject) where name == .installation:
            return try register(change, returnsObject: returnsObject)
        case .create(let change, let returnsObject):
            return try create(change, in: name, returnsObject: returnsObject)
        case .update(let id, let change, let condition, let returnsObject) where name == .file:
            return try updateFile(id, change, where: condition, returnsObject: returnsObject)
        case .update(let id, let change, let condition, let returnsObject):
            return try update(id, change, in: name, where: condition, returnsObject: returnsObject)
        case .delete(let ids, let condition):
            return try delete(ids, in: name, where: condition)
        case .apply(let change, let rule):
            return try rule.apply(self, change)
        case .get, .find:
            return try readRules.perform(command)
        }
    }

    var readRules: ObjectReadRules {
        ObjectReadRules(reader: writer, access: access, settings: settings)
    }

    /// Creates an object of a class without rules of its own, or of a role.
    func create(_ change: ObjectChange, in name: ClassName, returnsObject: Bool) throws -> ObjectReply {
        try requireChangeable(name, by: .create)
        let edit = try newObject(change, in: name, acl: change.acl)
        if name == .role { try requireRole(edit.object, with: change.acl) }
        try store(edit)

        let object = edit.object
        var reply = ObjectReply(created: object, in: name)
        if returnsObject {
            reply.content = .object(try readRules.presenter.object(ObjectRow(object), in: edit.schema, view: .plain))
        }
        return reply
    }

    /// A new object with the fields that a change sets, not yet stored.
    ///
    /// - Parameters:
    ///   - change: The fields.
    ///   - name: Its class, which is created if it does not exist.
    ///   - acl: Its ACL; `nil` takes the class's default.
    ///   - isOwner: Whether the object is a user, and so its own owner.
    /// - Returns: The object with its class.
    /// - Throws: Errors of the rules.
    func newObject(
        _ change: ObjectChange,
        in name: ClassName,
        acl: AccessControlList?,
        ownsItself isOwner: Bool = false
    ) throws -> ObjectEdit {
        let known = try writer.schema(of: name)
        if let known { try access.require(.create, in: known) }
        let schema = try known ?? writer.newClass(name, within: settings.limits, for: access.caller)
        let system = try SystemFields(change.systemFields, by: access.caller, ids: settings.ids, clock: settings.clock)
        let acl = acl ?? schema.defaultACL?.owned(by: isOwner ? system.id : access.caller.user?.id)
        var edit = ObjectEdit(
            schema: schema,
            isNew: known == nil,
            object: StoredObject(
                id: system.id,
                createdAt: system.createdAt,
                updatedAt: system.updatedAt,
                acl: acl?.storable,
                fields: [:]
            ),
            touching: nil,
            access: access,
            limits: settings.limits
        )
        try edit.apply(change)
        // An imported object without a number had none, and the next number can be that of an object that follows.
        for (field, definition) in edit.schema.fields where definition.isAutoIncrement && !change.isImport {
            // A number that the master key gives stays, and later numbers are greater.
            if edit.object.fields[field] ?? .null != .null { continue }
            let next = JSONValue.integer(try writer.nextNumber(of: field, in: name))
            guard next.isCountable else {
                throw ServiceError(
                    .badRequest,
                    "The field '\(field)' counts up and has no further number: an object of the class has the last one."
                )
            }
            edit.object.fields[field] = next
        }
        return edit
    }

    /// Stores a new object, and its class if the class changed.
    func store(_ edit: ObjectEdit) throws {
        try edit.finish()
        let name = edit.schema.name
        if try writer.schema(of: name) != edit.schema { try writer.save(edit.schema) }
        try writer.insert(edit.object, into: name)
        try edit.relate(in: writer)
    }

    /// Performs an update that completes an object which the same request has created; the right to create it, which was
    /// checked then, is enough.
    func complete(_ command: ObjectCommand) throws -> ObjectReply {
        guard case .update(let id, let change, let condition, let returnsObject) = command.action,
            command.className != .file
        else { return try perform(command) }
        writer.caller = access.caller
        return try update(
            id,
            change,
            in: command.className,
            where: condition,
            returnsObject: returnsObject,
            completing: true
        )
    }

    /// Updates an object of any class but a file.
    ///
    /// - Parameters:
    ///   - id: The object.
    ///   - change: The change of its fields.
    ///   - name: Its class.
    ///   - condition: The condition that must hold for it; `nil` for none.
    ///   - returnsObject: Whether the reply contains the changed fields.
    ///   - isNew: Whether the same request has created the object, so that the caller needs no right to update it.
    /// - Returns: The id and the time, or the fields.
    /// - Throws: Errors of the rules.
    func update(
        _ id: ObjectID,
        _ change: ObjectChange,
        in name: ClassName,
        where condition: Condition?,
        returnsObject: Bool,
        completing isNew: Bool = false
    ) throws -> ObjectReply {
        try requireChangeable(name, by: .update)
        if !isNew, let schema = try writer.schema(of: name) { try access.require(.update, of: id, in: schema) }
        let (known, row) = try existing(id, in: name)
        if !isNew { try access.requireWriting(.update, row, in: known) }
        try require(condition, of: id, in: known)
        let object = try row.object()
        var change = change
        var edit = ObjectEdit(
            schema: known,
            object: object,
            of: row.size,
            touching: change.fields,
            access: access,
            limits: settings.limits
        )
        var account = name == .user ? try AccountChange(taking: &change) : nil
        try edit.apply(change)
        if let acl = change.acl { edit.object.acl = acl.storable }
        edit.object.updatedAt = try updateTime(of: object, by: change)
        if name == .role { try requireRole(edit.object, instead: object) }
        if change.isFromOtherServer { account?.dropKnownPassword(of: object, changedAt: edit.object.updatedAt) }
        if let account { try finish(account, change, of: object, in: &edit) }
        try edit.finish()
        if edit.schema != known { try writer.save(edit.schema) }
        try writer.update(edit.object, in: name, from: object)
        try edit.relate(in: writer)
        if let account { try followAddress(of: edit.object, from: object, account, change) }

        var reply = ObjectReply(updated: edit.object)
        // A caller with write access but without read access does not get the stored values.
        if returnsObject, access.canRead(row, in: known) {
            var shown = ObjectView.plain
            var touched = change.fields.union(account?.fields ?? []).union(edit.schema.relations.map(\.key))
            if account != nil {
                touched.formUnion(AccountChange.derivedFields.filter { edit.object.fields[$0] != object.fields[$0] })
            }
            shown.keys = PathTree(touched + ["objectId"], depth: 1)
            shown.hidden = ["createdAt"]
            reply = ObjectReply(
                try readRules.presenter.object(ObjectRow(edit.object), in: edit.schema, view: shown)
            )
        }
        if let account { try renewSession(in: &reply, of: id, account) }
        return reply
    }

    /// The time of a change of an object: the one that an import gives, else now.
    func updateTime(of object: StoredObject, by change: ObjectChange) throws -> Timestamp {
        try SystemFields.updatedAt(change.systemFields, by: access.caller) ?? max(settings.clock(), object.updatedAt)
    }

    /// The class and the object of a change.
    func existing(_ id: ObjectID, in name: ClassName) throws -> (ClassSchema, ObjectRow) {
        guard let schema = try writer.schema(of: name), let row = try writer.row(id, in: name) else {
            throw ServiceError(.badRequest, "Could not find object by id '\(id)' for class '\(name)'.")
        }
        return (schema, row)
    }

    /// Throws unless the condition is `nil`, or holds for the object and the caller can read the object (protocol/data
    /// 3.1).
    func require(_ condition: Condition?, of id: ObjectID, in schema: ClassSchema) throws {
        guard let condition else { return }
        guard let row = try writer.row(id, in: schema.name), access.canRead(row, in: schema),
            try conditions.holds(condition, for: row, in: schema, self)
        else { throw ServiceError(.noEffect, "No effect on updating/deleting a document.") }
    }

    /// Throws for lcfile's own classes that clients cannot write, and for names that begin with `_` of classes that only
    /// an import creates.
    func requireChangeable(_ name: ClassName, by operation: ClassOperation) throws {
        if name == .session {
            try access.require(operation, in: .sessions)
            throw ServiceError(.notAvailable, "Sessions are created by log-ins and cannot be changed.")
        }
        guard !name.isReserved || [.user, .role].contains(name) else {
            throw ObjectWriteRules.unknownClass(name)
        }
        try requireOrdinaryChange(of: name, by: operation)
        guard name.isCreatableByClients || name.isReserved || access.caller.isMaster else {
            guard try writer.schema(of: name) != nil else { throw ObjectWriteRules.unknownClass(name) }
            return
        }
    }

    static func unknownClass(_ name: ClassName) -> ServiceError {
        ServiceError(.invalidClassName, "Invalid class name '\(name)': classes that begin with '_' are built in.")
    }
}
