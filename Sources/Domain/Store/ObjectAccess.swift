/// The rights of one caller to objects; all rights are decided here (docs/permissions.md).
///
/// It decides about single objects; for lists it provides the filter of the store.
struct ObjectAccess: Sendable {
    let caller: Caller

    /// The ACL entries that grant the caller read access.
    var readers: Readers { caller.readers }

    /// Throws ``ServiceError/Code/forbidden`` unless the class is open to the caller for an operation.
    func require(_ operation: ClassOperation, in schema: ClassSchema) throws {
        guard schema.permissions.allow(operation, to: caller) else { throw Self.refusal(operation, schema.name) }
    }

    /// A query of a class, restricted to the objects that the caller is allowed to find.
    ///
    /// - Throws: ``ServiceError/Code/forbidden`` if the caller is not allowed to query the class.
    func query(_ condition: Condition, in schema: ClassSchema) throws -> ObjectQuery {
        if schema.permissions.allow(.find, to: caller) {
            return ObjectQuery(schema.name, where: condition, readableBy: readers)
        }
        // A user can find itself even if `find` is closed (protocol/data 5.1). If it is open, the user's ACL decides like
        // those of other objects, so that one filter serves all rows.
        guard schema.name == .user, let user = caller.user else { throw Self.refusal(.find, schema.name) }
        return ObjectQuery(schema.name, where: .all([.isObject(user.id), condition]))
    }

    /// Whether a query of the caller is allowed to find an object, by the rules of ``query(_:in:)``.
    func canFind(_ object: StoredObject, in schema: ClassSchema) -> Bool {
        if schema.permissions.allow(.find, to: caller) { return readers.canRead(object.acl) }
        return isSelf(object.id, in: schema)
    }

    /// Throws ``ServiceError/Code/forbidden`` unless the caller is allowed to get objects of a class by their ids.
    func requireGetting(_ id: ObjectID, in schema: ClassSchema) throws {
        if !isSelf(id, in: schema) { try require(.get, in: schema) }
    }

    /// Throws ``ServiceError/Code/forbidden`` unless an object's ACL grants the caller read access.
    func requireReading(_ row: ObjectRow, in schema: ClassSchema) throws {
        guard isSelf(row.id, in: schema) || readers.canRead(stored: row.acl) else {
            throw ServiceError(.forbidden, "Forbidden reading by object's ACL.")
        }
    }

    /// Whether the caller is allowed to read an object by any operation.
    func canRead(_ row: ObjectRow, in schema: ClassSchema) -> Bool {
        isSelf(row.id, in: schema) || isOpen(schema) && readers.canRead(stored: row.acl)
    }

    /// Whether the caller is allowed to read objects of a class by any operation.
    func isOpen(_ schema: ClassSchema) -> Bool {
        schema.permissions.allow(.get, to: caller) || schema.permissions.allow(.find, to: caller)
    }

    /// Throws unless the caller is allowed to change or delete an object.
    ///
    /// - Parameters:
    ///   - operation: `update` or `delete`.
    ///   - row: The object as stored.
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

    /// The checks of a change that need no object, so that their result does not reveal which objects exist.
    func require(_ operation: ClassOperation, of id: ObjectID, in schema: ClassSchema) throws {
        try require(operation, in: schema)
        guard schema.name != .user || caller.isMaster || isSelf(id, in: schema) else {
            throw Caller.noSession
        }
    }

    /// Whether replies include objects of a class in place of pointers; the calling user is included without it.
    func includes(_ schema: ClassSchema) -> Bool {
        schema.permissions.allow(.get, to: caller)
    }

    /// Whether a field is hidden from the caller, at every depth of a reply.
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
