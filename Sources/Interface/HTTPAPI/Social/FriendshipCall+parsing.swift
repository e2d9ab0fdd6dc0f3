internal import Domain

extension FriendshipCall {
    /// Parses a request, of its own or in a batch; `nil` for one that changes no relation.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - segments: The segments of its path behind `/1.1`.
    ///   - body: The JSON body; null without one.
    /// - Throws: ``ServiceError/Code/userNotFound`` and ``ServiceError/Code/friendshipNotFound`` for what is no id;
    ///   ``ServiceError/Code/malformedJSON``.
    init?(_ method: String, _ segments: [Substring], body: JSONValue) throws {
        guard segments.count > 1, segments[0] == "users" else { return nil }
        let last = segments[segments.count - 1]
        switch (method, segments.count, segments.count == 4 ? segments[2] : last) {
        case ("POST", 4, "friendship"):
            let (user, other) = try FriendshipCall.users(in: segments)
            self = .follow(other, by: user, attributes: body)
        case ("PUT", 4, "friendship"):
            let (user, other) = try FriendshipCall.users(in: segments)
            self = .update(other, of: user, body)
        case ("DELETE", 4, "friendship"):
            let (user, other) = try FriendshipCall.users(in: segments)
            self = .unfollow(other, by: user)
        // Block lists exist for `self` only.
        case ("POST", 4, "friendBlocklist") where segments[1] == "self":
            self = .block(try UserReference(String(last)))
        case ("DELETE", 4, "friendBlocklist") where segments[1] == "self":
            self = .unblock(try UserReference(String(last)))
        case ("POST", 2, "friendshipRequests"):
            guard let members = body.objectValue else {
                throw ServiceError(.malformedJSON, "The body must be a JSON object.")
            }
            self = .request(members)
        case ("PUT", 4, let id) where segments[1] == "friendshipRequests" && ["accept", "decline"].contains(last):
            guard let id = ObjectID(String(id)) else {
                throw ServiceError(.friendshipNotFound, "Friendship not found.")
            }
            self = last == "accept" ? .accept(id, body) : .decline(id)
        default:
            return nil
        }
    }

    /// The two users of `users/<user>/friendship/<other>`.
    private static func users(in segments: [Substring]) throws -> (user: UserReference, other: UserReference) {
        (try UserReference(String(segments[1])), try UserReference(String(segments[3])))
    }
}
