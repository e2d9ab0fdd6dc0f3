/// Requests for friendship, and their answers (docs/people.md).
extension FriendshipService {
    /// Requests the friendship of a user.
    ///
    /// - Parameters:
    ///   - body: `friend`, a pointer to the other user; `user`, a pointer to the caller, which can be missing; and
    ///     `friendship`, the attributes of the friend.
    ///   - caller: The caller.
    /// - Returns: The id and the time of the request; `created`.
    /// - Throws: ``ServiceError/Code/badRequest`` if there is a request or a friendship, and as
    ///   ``follow(_:by:attributes:as:)``.
    package func request(_ body: [String: JSONValue], as caller: Caller) async throws -> ObjectReply {
        guard let user = try Pointer.user(body["user"], field: "user") ?? caller.user?.id else {
            throw Caller.noSession
        }
        guard let friend = try Pointer.user(body["friend"], field: "friend") else {
            throw ServiceError(.badRequest, "friend is missing: it must be a pointer to an object of '_User'.")
        }
        let attributes = try await checked(body["friendship"], by: caller)
        return try await store.write(as: caller, by: settings) {
            try $0.requestFriendship(friend, of: user, attributes)
        }
    }

    /// Accepts a request, also one that was declined before.
    ///
    /// - Parameters:
    ///   - id: The request.
    ///   - body: `friendship`, the attributes of the new friend of the caller; can be missing.
    ///   - caller: The caller, to whom the request is.
    /// - Returns: The id and the time of the request.
    /// - Throws: ``ServiceError/Code/friendshipNotFound``, ``ServiceError/Code/forbidden``, and as
    ///   ``follow(_:by:attributes:as:)``.
    package func accept(_ id: ObjectID, _ body: JSONValue, as caller: Caller) async throws -> ObjectReply {
        let attributes = try await checked(body.objectValue?["friendship"], by: caller)
        return try await store.write(as: caller, by: settings) { try $0.acceptFriendship(id, attributes) }
    }

    /// Declines a request.
    ///
    /// - Returns: The id and the time of the request.
    /// - Throws: ``ServiceError/Code/friendshipNotFound``, ``ServiceError/Code/forbidden``, and
    ///   ``ServiceError/Code/badRequest`` for a request that was accepted.
    package func decline(_ id: ObjectID, as caller: Caller) async throws -> ObjectReply {
        try await store.write(as: caller, by: settings) { try $0.declineFriendship(id) }
    }
}

extension ObjectWriteRules {
    fileprivate func requestFriendship(
        _ friend: ObjectID,
        of user: ObjectID,
        _ attributes: ObjectChange
    ) throws -> ObjectReply {
        try access.caller.requireActing(as: user)
        try requirePair(user, friend, "A user cannot be its own friend.")
        let known = try writer.row(.request, user, friend)?.object()
        switch known?.fields[FriendshipStatus.field]?.stringValue.flatMap(FriendshipStatus.init) {
        case .pending?: throw ObjectWriteRules.exists("The request waits for an answer.")
        case .declined?: throw ObjectWriteRules.exists("The request was declined; only the other user can change that.")
        case .accepted? where try isFriend(friend, of: user): throw ObjectWriteRules.exists("The users are friends.")
        default: break
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
        var reply = ObjectReply([
            "objectId": .string(request.id.description), "createdAt": .string(request.createdAt.iso8601),
        ])
        reply.created = Pointer(.friendshipRequest, request.id)
        return reply
    }

    fileprivate func acceptFriendship(_ id: ObjectID, _ attributes: ObjectChange) throws -> ObjectReply {
        let (request, users) = try request(id)
        try requirePair(users.user, users.other, "A user cannot be its own friend.")
        let none = try ObjectChange(.object([:]), allowsPaths: false)
        let isFriend = [ObjectWriteRules.friendStatus: JSONValue.bool(true)]
        try link(.followee, users.user, users.other, none, fields: isFriend)
        try link(.followee, users.other, users.user, attributes, fields: isFriend)
        return try answer(request, .accepted)
    }

    fileprivate func declineFriendship(_ id: ObjectID) throws -> ObjectReply {
        let (request, _) = try request(id)
        guard request.fields[FriendshipStatus.field] != FriendshipStatus.accepted.json else {
            throw ServiceError(.badRequest, "The request was accepted; delete the friend instead.")
        }
        return try answer(request, .declined)
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
        object.updatedAt = max(settings.clock(), request.updatedAt)
        try writer.update(object, in: .friendshipRequest, from: request)
        return ObjectReply([
            "objectId": .string(object.id.description), "updatedAt": .string(object.updatedAt.iso8601),
        ])
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
