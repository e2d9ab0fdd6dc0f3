/// The rules of followers and followees, inside one transaction.
extension ObjectWriteRules {
    /// Stores that a user follows another one: an object of the user, and one of the other.
    func follow(_ followee: ObjectID, by user: ObjectID, _ attributes: ObjectChange) throws {
        try access.caller.requireActing(as: user)
        try requirePair(user, followee, "A user cannot follow itself.")
        // Attributes are stored with the followee first, whose fields include all that clients cannot write.
        try link(.followee, user, followee, attributes)
        try link(.follower, followee, user, attributes)
    }

    /// Deletes both objects of a relation.
    func unfollow(_ followee: ObjectID, by user: ObjectID) throws {
        try access.caller.requireActing(as: user)
        for (relation, owner, other) in [(Relation.followee, user, followee), (.follower, followee, user)] {
            if let schema = try writer.schema(of: relation.className) { try access.require(.delete, in: schema) }
            _ = try writer.removePart(of: relation.className, where: relation.pair(owner, other))
        }
    }

    /// Changes the attributes of both objects of a relation.
    func update(_ followee: ObjectID, of user: ObjectID, _ attributes: ObjectChange) throws -> ObjectReply {
        try access.caller.requireActing(as: user)
        guard let row = try writer.row(.followee, user, followee) else { throw ObjectWriteRules.noFriendship }
        let object = try change(row, of: .followee, attributes)
        if let row = try writer.row(.follower, followee, user) { _ = try change(row, of: .follower, attributes) }
        return ObjectReply(updated: object)
    }

    /// Creates the object that relates two users, or changes the one that does.
    ///
    /// - Parameters:
    ///   - relation: The class.
    ///   - user: The user to whom the object belongs.
    ///   - other: The other user.
    ///   - attributes: Further fields, and the ACL.
    ///   - fields: Fields that clients cannot write.
    /// - Returns: The object.
    /// - Throws: ``ServiceError/Code/badRequest`` if the user has too many, and errors of the rules of objects.
    @discardableResult
    func link(
        _ relation: Relation,
        _ user: ObjectID,
        _ other: ObjectID,
        _ attributes: ObjectChange,
        fields: [String: JSONValue] = [:]
    ) throws -> StoredObject {
        if let row = try writer.row(relation, user, other) {
            return try change(row, of: relation, attributes, fields: fields)
        }
        try requireCapacity(for: relation, of: user)
        let schema = try writer.schema(of: relation.className)
        let acl = attributes.acl ?? schema?.defaultACL?.owned(by: user) ?? relation.acl(user, other)
        var edit = try newObject(attributes, in: relation.className, acl: acl)
        edit.object.fields[Relation.user] = Pointer(.user, user).json
        edit.object.fields[relation.other] = Pointer(.user, other).json
        edit.object.fields.merge(fields) { _, new in new }
        try store(edit)
        return edit.object
    }

    /// Applies attributes to the object of a relation, and sets fields that clients cannot write.
    private func change(
        _ row: ObjectRow,
        of relation: Relation,
        _ attributes: ObjectChange,
        fields: [String: JSONValue] = [:]
    ) throws -> StoredObject {
        let before = try row.object()
        let isUnchanged = fields.allSatisfy { before.fields[$0.key] == $0.value }
        guard !attributes.operations.isEmpty || attributes.acl != nil || !isUnchanged else { return before }
        guard let known = try writer.schema(of: relation.className) else { return before }
        try access.require(.update, in: known)
        var edit = ObjectEdit(
            schema: known,
            object: before,
            of: row.size,
            touching: attributes.fields,
            access: access,
            limits: settings.limits
        )
        try edit.apply(attributes)
        if let acl = attributes.acl { edit.object.acl = acl.storable }
        edit.object.fields.merge(fields) { _, new in new }
        if let users = relation.users(of: before) {
            // The master key could have written others.
            edit.object.fields[Relation.user] = Pointer(.user, users.user).json
            edit.object.fields[relation.other] = Pointer(.user, users.other).json
        }
        edit.object.touch(at: settings.clock())
        try edit.finish()
        if edit.schema != known { try writer.save(edit.schema) }
        try writer.update(edit.object, in: relation.className, from: before)
        try edit.relate(in: writer)
        return edit.object
    }

    /// Throws unless both users exist, differ, and neither blocks the other.
    func requirePair(_ user: ObjectID, _ other: ObjectID, _ refusal: String) throws {
        guard user != other else { throw ServiceError(.badRequest, refusal) }
        for id in [user, other] where try writer.row(id, in: .user) == nil {
            throw ServiceError(.userNotFound, "Could not find user.")
        }
        guard try !writer.isBlocked(user, other) else {
            throw ServiceError(.forbidden, "One of the users blocks the other.")
        }
    }

    private func requireCapacity(for relation: Relation, of user: ObjectID) throws {
        let limits = settings.people
        let (limit, what, setting): (Int, String, String)
        switch relation {
        // Others decide how many followers a user has.
        case .follower: return
        case .followee: (limit, what, setting) = (limits.followees, "The user follows", "people.maxFollowees")
        case .request: (limit, what, setting) = (limits.requests, "Pending requests of the user:", "people.maxRequests")
        case .block: (limit, what, setting) = (limits.blocked, "The user blocks", "people.maxBlocked")
        }
        var condition = Relation.belongs(to: user)
        if relation == .request { condition = .all([condition, FriendshipStatus.pending.condition]) }
        guard try writer.count(condition, in: relation.className) < limit else {
            throw ServiceError.tooMany(what, limit, setting: setting)
        }
    }

    static let noFriendship = ServiceError(.friendshipNotFound, "Friendship not found.")
}

extension Relation {
    /// The ACL of a new object if the class has no default: both users read and write it, as on LeanCloud; only the
    /// user itself sees whom it blocks.
    fileprivate func acl(_ user: ObjectID, _ other: ObjectID) -> AccessControlList {
        let both = JSONValue.object(["read": .bool(true), "write": .bool(true)])
        let subjects = self == .block ? [user] : [user, other]
        return AccessControlList(
            stored: Dictionary(subjects.map { ($0.description, both) }) { first, _ in first }
        )
    }
}

/// The state of a request for friendship.
enum FriendshipStatus: String, Sendable {
    case pending
    case accepted
    case declined

    static let field = "status"

    var json: JSONValue { .string(rawValue) }

    var condition: Condition { .field(FieldPath(field: FriendshipStatus.field), .equals(json)) }
}
