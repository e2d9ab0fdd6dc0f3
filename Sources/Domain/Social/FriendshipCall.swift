/// A change of the relations between users (docs/people.md): a call of its own, or a request of a batch.
package enum FriendshipCall: Sendable {
    /// A user follows another one; one who already does gets the new attributes, fields that both objects have.
    case follow(UserReference, by: UserReference, attributes: JSONValue)
    /// A user no longer follows another one, nor has it as a friend; without a relation nothing changes.
    case unfollow(UserReference, by: UserReference)
    /// The relation of a user to another one, who is followed or a friend, gets other attributes: the body, or its
    /// member `friendship`.
    case update(UserReference, of: UserReference, JSONValue)
    /// The caller requests a friendship: `friend` is a pointer to the other user, `user`, which can be missing, one to
    /// the caller, `friendship` has the attributes of the friend.
    case request([String: JSONValue])
    /// The caller accepts a request, also one that it declined before; the body can have attributes of the new friend
    /// in `friendship`. A request that was accepted before stays as it is.
    case accept(ObjectID, JSONValue)
    /// The caller declines a request.
    case decline(ObjectID)
    /// The caller blocks a user; relations stay as they are.
    case block(UserReference)
    /// The caller no longer blocks a user.
    case unblock(UserReference)

    /// The call as a command.
    ///
    /// Its reply has the id and the time of the object, or nothing; a new request is `created`.
    ///
    /// - Returns: The command, whose class is that of most attributes.
    /// - Throws: Errors of the form of attributes and pointers. Performing it throws
    ///   ``ServiceError/Code/sessionRequired`` unless the caller is the user, ``ServiceError/Code/userNotFound``,
    ///   ``ServiceError/Code/friendshipNotFound``, ``ServiceError/Code/forbidden`` for a block and for the request of
    ///   another user, ``ServiceError/Code/badRequest`` for oneself, for what there is already and beyond a limit, and
    ///   errors of the rules of objects.
    package func command() throws -> ObjectCommand {
        switch self {
        case .follow(let followee, let user, let attributes):
            try FriendshipCall.command(attributes) { rules, change in
                try rules.follow(rules.id(of: followee), by: rules.id(of: user), change)
                return ObjectReply([:])
            }
        case .unfollow(let followee, let user):
            try FriendshipCall.command { rules, _ in
                try rules.unfollow(rules.id(of: followee), by: rules.id(of: user))
                return ObjectReply([:])
            }
        case .update(let followee, let user, let body):
            try FriendshipCall.command(body.objectValue?["friendship"] ?? body) { rules, change in
                try rules.update(rules.id(of: followee), of: rules.id(of: user), change)
            }
        case .request(let body):
            try FriendshipCall.request(body)
        case .accept(let id, let body):
            try FriendshipCall.command(body.objectValue?["friendship"]) { try $0.acceptFriendship(id, $1) }
        case .decline(let id):
            try FriendshipCall.command { rules, _ in try rules.declineFriendship(id) }
        case .block(let other):
            try FriendshipCall.command { rules, _ in
                try rules.block(rules.id(of: other), by: rules.id(of: .caller))
                return ObjectReply([:])
            }
        case .unblock(let other):
            try FriendshipCall.command { rules, _ in
                try rules.unblock(rules.id(of: other), by: rules.id(of: .caller))
                return ObjectReply([:])
            }
        }
    }

    private static func request(_ body: [String: JSONValue]) throws -> ObjectCommand {
        let user = try Pointer.user(body["user"], field: "user")
        let friend = try Pointer.user(body["friend"], field: "friend")
        return try command(body["friendship"]) { rules, change in
            let user = try user ?? rules.id(of: .caller)
            guard let friend else {
                throw ServiceError(.badRequest, "friend is missing: it must be a pointer to an object of '_User'.")
            }
            return try rules.requestFriendship(friend, of: user, change)
        }
    }

    /// The command of a rule with attributes; `nil` and null are none.
    private static func command(
        _ attributes: JSONValue? = nil,
        _ rule: @escaping @Sendable (ObjectWriteRules, ObjectChange) throws -> ObjectReply
    ) throws -> ObjectCommand {
        let json = attributes.flatMap { $0 == .null ? nil : $0 } ?? .object([:])
        return ObjectCommand(.followee, .apply(try ObjectChange(json, allowsPaths: true), ObjectRule(rule)))
    }
}

extension ObjectWriteRules {
    /// The id of a user; the caller is the one of the transaction, whose session can have ended meanwhile.
    fileprivate func id(of user: UserReference) throws -> ObjectID { try user.id(for: access.caller) }
}
