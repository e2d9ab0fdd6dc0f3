/// The rules of requests for friendship and of their answers, inside one transaction (docs/people.md).
extension ObjectWriteRules {
    /// Stores a request of a user, and the attributes of the friend.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if there is a request or a friendship, and as ``follow(_:by:_:)``.
    func requestFriendship(
        _ friend: ObjectID,
        of user: ObjectID,
        _ attributes: ObjectChange
    ) throws -> ObjectReply {
        try access.caller.requireActing(as: user)
        try requirePair(user, friend, "A user cannot be its own friend.")
        // A friendship that one of them has ended can be requested by both.
        guard try !isFriend(friend, of: user) || !isFriend(user, of: friend) else {
            throw ObjectWriteRules.exists("The users are friends.")
        }
        let known = try writer.row(.request, user, friend)?.object()
        switch known?.fields[FriendshipStatus.field]?.stringValue.flatMap(FriendshipStatus.init) {
        case .pending?: throw ObjectWriteRules.exists("The request waits for an answer.")
        case .declined?: throw ObjectWriteRules.exists("The request was declined; only the other user can change that.")
        case .accepted?, nil: break
        }
        let request = try link(
            .request,
            user,
            friend,
            try ObjectChange(.object([:]), allowsPaths: false),
            fields: [FriendshipStatus.field: FriendshipStatus.pending.json]
        )
        if !attributes.operations.isEmpty || attributes.acl != nil {
            let known = try writer.row(.followee, user, friend)?.object().fields[ObjectWriteRules.friendStatus]
            let status = [ObjectWriteRules.friendStatus: known ?? .bool(false)]
            try link(.followee, user, friend, attributes, fields: status)
        }
        return ObjectReply(created: request, in: .friendshipRequest)
    }

    /// Makes both users of a request friends; does nothing for a request that was accepted before.
    func acceptFriendship(_ id: ObjectID, _ attributes: ObjectChange) throws -> ObjectReply {
        let (request, users) = try request(id)
        // Its acceptance is used up: the requester can have ended the friendship since.
        guard request.fields[FriendshipStatus.field] != FriendshipStatus.accepted.json else {
            return ObjectReply(updated: request)
        }
        try requirePair(users.user, users.other, "A user cannot be its own friend.")
        let none = try ObjectChange(.object([:]), allowsPaths: false)
        let isFriend = [ObjectWriteRules.friendStatus: JSONValue.bool(true)]
        try link(.followee, users.user, users.other, none, fields: isFriend)
        try link(.followee, users.other, users.user, attributes, fields: isFriend)
        // The request in the other direction is used up, too: else its acceptance could renew an ended friendship.
        if let reverse = try writer.row(.request, users.other, users.user)?.object(),
            reverse.fields[FriendshipStatus.field] != FriendshipStatus.accepted.json
        {
            _ = try answer(reverse, .accepted)
        }
        return try answer(request, .accepted)
    }

    /// Declines a request; throws ``ServiceError/Code/badRequest`` for one that was accepted.
    func declineFriendship(_ id: ObjectID) throws -> ObjectReply {
        let (request, _) = try request(id)
        guard request.fields[FriendshipStatus.field] != FriendshipStatus.accepted.json else {
            throw ServiceError(.badRequest, "The request was accepted; delete the friend instead.")
        }
        return try answer(request, .declined)
    }

    /// Requires that the caller is not the requester of a declined request, who could ask again after its deletion.
    func requireDeletable(_ row: ObjectRow) throws {
        let request = try row.object()
        guard request.fields[FriendshipStatus.field] == FriendshipStatus.declined.json,
            let users = Relation.request.users(of: request),
            !access.caller.isMaster, access.caller.user?.id != users.other
        else { return }
        throw ServiceError(.forbidden, "A declined request for friendship is deleted by the user to whom it is.")
    }

    /// A request that the caller is allowed to answer: the user to whom it is, and the master key.
    private func request(_ id: ObjectID) throws -> (StoredObject, users: (user: ObjectID, other: ObjectID)) {
        if let schema = try writer.schema(of: .friendshipRequest) { try access.require(.update, in: schema) }
        guard let request = try writer.object(id, in: .friendshipRequest),
            let users = Relation.request.users(of: request)
        else { throw ObjectWriteRules.noFriendship }
        guard access.caller.isMaster || access.caller.user?.id == users.other else {
            throw ServiceError(.forbidden, "A request for friendship is answered by the user to whom it is.")
        }
        return (request, users)
    }

    private func answer(_ request: StoredObject, _ status: FriendshipStatus) throws -> ObjectReply {
        var object = request
        object.fields[FriendshipStatus.field] = status.json
        object.touch(at: settings.clock())
        try writer.update(object, in: .friendshipRequest, from: request)
        return ObjectReply(updated: object)
    }

    private func isFriend(_ friend: ObjectID, of user: ObjectID) throws -> Bool {
        let row = try writer.row(.followee, user, friend)
        return try row?.object().fields[ObjectWriteRules.friendStatus] == .bool(true)
    }

    private static let friendStatus = "friendStatus"

    private static func exists(_ detail: String) -> ServiceError {
        // The Java SDK's tests look for the first sentence.
        ServiceError(.badRequest, "Friendship already exists. \(detail)")
    }
}
