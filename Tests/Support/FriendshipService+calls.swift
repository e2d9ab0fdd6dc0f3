package import Domain

/// The calls as functions, so that tests read like their sentences.
extension FriendshipService {
    package func follow(
        _ followee: UserReference,
        by user: UserReference,
        attributes: JSONValue,
        as caller: Caller
    ) async throws {
        _ = try await perform(.follow(followee, by: user, attributes: attributes), as: caller)
    }

    package func unfollow(_ followee: UserReference, by user: UserReference, as caller: Caller) async throws {
        _ = try await perform(.unfollow(followee, by: user), as: caller)
    }

    package func update(
        _ followee: UserReference,
        of user: UserReference,
        _ body: JSONValue,
        as caller: Caller
    ) async throws -> ObjectReply {
        try await perform(.update(followee, of: user, body), as: caller)
    }

    package func request(_ body: [String: JSONValue], as caller: Caller) async throws -> ObjectReply {
        try await perform(.request(body), as: caller)
    }

    package func accept(_ id: ObjectID, _ body: JSONValue, as caller: Caller) async throws -> ObjectReply {
        try await perform(.accept(id, body), as: caller)
    }

    package func decline(_ id: ObjectID, as caller: Caller) async throws -> ObjectReply {
        try await perform(.decline(id), as: caller)
    }

    package func block(_ other: UserReference, as caller: Caller) async throws {
        _ = try await perform(.block(other), as: caller)
    }

    package func unblock(_ other: UserReference, as caller: Caller) async throws {
        _ = try await perform(.unblock(other), as: caller)
    }
}
