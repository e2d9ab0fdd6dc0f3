/// What one caller may do with objects: the one place that decides it (docs/permissions.md).
///
/// Questions about one object are answered here; for lists it gives what the store filters by.
struct ObjectAccess: Sendable {
    let caller: Caller

    /// The ACL entries that count when objects are read.
    var readers: Readers { caller.readers }

    /// Throws ``ServiceError/Code/forbidden`` unless the class is open to the caller for an operation.
    func require(_ operation: ClassOperation, in schema: ClassSchema) throws {
        guard schema.permissions.allow(operation, to: caller) else { throw Self.refusal(operation, schema.name) }
    }

    /// A query of a class, narrowed to what the caller may find there.
    ///
    /// - Throws: ``ServiceError/Code/forbidden`` if it may not search there at all.
    func query(_ condition: Condition, in schema: ClassSchema) throws -> ObjectQuery {
        if schema.permissions.allow(.find, to: caller) {
            return ObjectQuery(schema.name, where: condition, readableBy: readers)
        }
        // A user finds itself even if `find` is closed (protocol/data 5.1).
        guard schema.name == .user, let user = caller.user else { throw Self.refusal(.find, schema.name) }
        return ObjectQuery(schema.name, where: .all([.isObject(user.id), condition]))
    }

    /// Throws ``ServiceError/Code/forbidden`` unless the caller may ask for objects of a class by their ids.
    func requireGetting(_ id: ObjectID, in schema: ClassSchema) throws {
        if !isSelf(id, in: schema) { try require(.get, in: schema) }
    }

    /// Throws ``ServiceError/Code/forbidden`` unless an object's ACL lets the caller read it.
    func requireReading(_ row: ObjectRow, in schema: ClassSchema) throws {
        guard isSelf(row.id, in: schema) || readers.canRead(stored: row.acl) else {
            throw ServiceError(.forbidden, "Forbidden reading by object's ACL.")
        }
    }

    /// Whether the caller may come to know what an object holds, by whatever way.
    func canRead(_ row: ObjectRow, in schema: ClassSchema) -> Bool {
        isSelf(row.id, in: schema) || isOpen(schema) && readers.canRead(stored: row.acl)
    }

    /// Whether the caller may come to know objects of a class at all.
    func isOpen(_ schema: ClassSchema) -> Bool {
        schema.permissions.allow(.get, to: caller) || schema.permissions.allow(.find, to: caller)
    }

    /// Throws unless the caller may change or remove an object.
    ///
    /// - Parameters:
    ///   - operation: `update` or `delete`.
    ///   - row: The object as it stands.
    ///   - schema: Its class.
    /// - Throws: ``ServiceError/Code/forbidden``; ``ServiceError/Code/sessionRequired`` for another user than the
    ///   caller (protocol/data 5.4).
    func requireWriting(_ operation: ClassOperation, _ row: ObjectRow, in schema: ClassSchema) throws {
        try require(operation, of: row.id, in: schema)
        guard !caller.isMaster, let acl = row.acl else { return }
        guard acl.withUnsafeBufferPointer({ caller.subjects.have(.write, in: $0) }) else {
            throw ServiceError(.forbidden, "Forbidden writing by object's ACL, the object id is \(row.id).")
        }
    }

    /// The same as far as it can be told without the object, so that it tells nothing of which objects there are.
    func require(_ operation: ClassOperation, of id: ObjectID, in schema: ClassSchema) throws {
        try require(operation, in: schema)
        guard schema.name != .user || caller.isMaster || isSelf(id, in: schema) else {
            throw ServiceError(.sessionRequired, "The user cannot be altered by a client without the session.")
        }
    }

    /// Whether the caller sees an object that a pointer leads to.
    func includes(_ schema: ClassSchema) -> Bool {
        schema.permissions.allow(.get, to: caller)
    }

    /// Whether the caller may not see a field, wherever it stands.
    func hides(_ field: String, in schema: ClassSchema?) -> Bool {
        guard let schema else { return false }
        if schema.isOwn(field) { return true }
        guard !caller.isMaster else { return false }
        return schema.fields[field]?.isHidden == true || schema.name == .user && field == AuthData.field
    }

    /// Whether an object is the calling user, who sees all of its own fields.
    func isSelf(_ id: ObjectID, in schema: ClassSchema) -> Bool {
        schema.name == .user && caller.user?.id == id
    }

    private static func refusal(_ operation: ClassOperation, _ name: ClassName) -> ServiceError {
        ServiceError(.forbidden, "Forbidden to \(operation.rawValue) by class '\(name)' permissions.")
    }
}
