/// Whom users follow, who their friends are, and whom they block (protocol/data 9, docs/people.md).
package struct FriendshipService: Sendable {
    let store: any ObjectStore
    let settings: ObjectSettings
    let objects: ObjectService

    /// - Parameters:
    ///   - store: The app's store.
    ///   - settings: The settings of objects.
    ///   - objects: Runs the queries of relations.
    package init(store: any ObjectStore, settings: ObjectSettings, objects: ObjectService) {
        self.store = store
        self.settings = settings
        self.objects = objects
    }

    /// Makes a user follow another one; a user who already does gets the new attributes.
    ///
    /// - Parameters:
    ///   - followee: Who is followed.
    ///   - user: Who follows.
    ///   - attributes: Fields that both objects of the relation get.
    ///   - caller: The caller.
    /// - Throws: ``ServiceError/Code/sessionRequired`` unless the caller is the user,
    ///   ``ServiceError/Code/userNotFound``, ``ServiceError/Code/forbidden`` if one of them blocks the other, and errors of the rules of objects.
    package func follow(
        _ followee: UserReference,
        by user: UserReference,
        attributes: JSONValue,
        as caller: Caller
    ) async throws {
        let (user, followee) = (try user.id(for: caller), try followee.id(for: caller))
        let attributes = try await checked(attributes, by: caller)
        try await store.write(as: caller, by: settings) { try $0.follow(followee, by: user, attributes) }
    }

    /// Ends that a user follows another one, or has it as a friend; does nothing if the user does not.
    ///
    /// - Throws: ``ServiceError/Code/sessionRequired``, ``ServiceError/Code/forbidden``.
    package func unfollow(_ followee: UserReference, by user: UserReference, as caller: Caller) async throws {
        let (user, followee) = (try user.id(for: caller), try followee.id(for: caller))
        try await store.write(as: caller, by: settings) { try $0.unfollow(followee, by: user) }
    }

    /// Changes the attributes of a relation.
    ///
    /// - Parameters:
    ///   - followee: Who is followed, or a friend.
    ///   - user: Who follows.
    ///   - body: The attributes, by themselves or in the member `friendship`.
    ///   - caller: The caller.
    /// - Returns: The id and the time of the followee's object.
    /// - Throws: ``ServiceError/Code/friendshipNotFound``, and as ``follow(_:by:attributes:as:)``.
    package func update(
        _ followee: UserReference,
        of user: UserReference,
        _ body: JSONValue,
        as caller: Caller
    ) async throws -> ObjectReply {
        let (user, followee) = (try user.id(for: caller), try followee.id(for: caller))
        let attributes = try await checked(body.objectValue?["friendship"] ?? body, by: caller)
        return try await store.write(as: caller, by: settings) { try $0.update(followee, of: user, attributes) }
    }

    /// The change that attributes make of a relation; `null` is none.
    ///
    /// - Throws: ``ServiceError/Code/objectTooLarge`` before they delay other changes, and errors of their form.
    func checked(_ attributes: JSONValue?, by caller: Caller) async throws -> ObjectChange {
        let json = attributes.flatMap { $0 == .null ? nil : $0 } ?? .object([:])
        let change = try ObjectChange(json, allowsPaths: true)
        try await objects.requireSize(of: change, to: nil, in: .followee, by: caller)
        return change
    }
}
