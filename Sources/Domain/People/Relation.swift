/// A class whose objects relate two users, with the names of its two fields.
enum Relation: Sendable, CaseIterable {
    case follower
    case followee
    case request
    case block

    var className: ClassName {
        switch self {
        case .follower: .follower
        case .followee: .followee
        case .request: .friendshipRequest
        case .block: .blocklist
        }
    }

    /// The field of the user to whom the object belongs.
    static let user = "user"

    /// The field of the other user.
    var other: String {
        switch self {
        case .follower: "follower"
        case .followee: "followee"
        case .request: "friend"
        case .block: "blockedUser"
        }
    }

    /// The condition for the objects of a user.
    static func belongs(to user: ObjectID) -> Condition {
        .field(FieldPath(field: Relation.user), .equals(Pointer(.user, user).json))
    }

    /// The condition for the objects with another user.
    func names(_ other: ObjectID) -> Condition {
        .field(FieldPath(field: self.other), .equals(Pointer(.user, other).json))
    }

    /// The condition for the object of a user with another one.
    func pair(_ user: ObjectID, _ other: ObjectID) -> Condition {
        .all([Relation.belongs(to: user), names(other)])
    }

    /// The two users of an object.
    func users(of object: StoredObject) -> (user: ObjectID, other: ObjectID)? {
        guard let user = object.fields[Relation.user].flatMap(Pointer.init(stored:))?.id,
            let other = object.fields[other].flatMap(Pointer.init(stored:))?.id
        else { return nil }
        return (user, other)
    }
}

extension ReadTransaction {
    /// The object that relates a user to another one; of several, which only an import makes, the oldest.
    func row(_ relation: Relation, _ user: ObjectID, _ other: ObjectID) throws -> ObjectRow? {
        try rows(ObjectQuery(relation.className, where: relation.pair(user, other), page: .first)).first
    }

    /// Whether one of two users blocks the other.
    func isBlocked(_ user: ObjectID, _ other: ObjectID) throws -> Bool {
        try row(.block, user, other) != nil || row(.block, other, user) != nil
    }

    /// The users of a list who block a user.
    func users(blocking user: ObjectID, among users: [ObjectID]) throws -> Set<ObjectID> {
        let owners = Condition.field(
            FieldPath(field: Relation.user),
            .isIn(ValueSet(users.map { Pointer(.user, $0).json }))
        )
        let query = ObjectQuery(.blocklist, where: .all([Relation.block.names(user), owners]), page: .all)
        return Set(try find(query).compactMap { Relation.block.users(of: $0)?.user })
    }

    /// The users of a list who exist.
    func knownUsers(among users: [ObjectID]) throws -> Set<ObjectID> {
        let list = ValueSet(users.map { JSONValue.string($0.description) })
        let query = ObjectQuery(.user, where: .field(FieldPath(field: "objectId"), .isIn(list)), page: .all)
        // Every user has a username.
        return Set(try texts("username", of: query).map(\.id))
    }
}
