/// Block lists: a user who is blocked cannot follow, request a friendship or reach an inbox (docs/people.md).
extension FriendshipService {
    /// Blocks a user; does nothing if it is blocked already.
    ///
    /// Relations stay as they are.
    ///
    /// - Throws: ``ServiceError/Code/sessionRequired``, ``ServiceError/Code/userNotFound``,
    ///   ``ServiceError/Code/badRequest`` for the caller itself, and errors of the rules of objects.
    package func block(_ other: UserReference, as caller: Caller) async throws {
        let user = try UserReference.caller.id(for: caller)
        let other = try other.id(for: caller)
        try await store.write(as: caller, by: settings) { rules in
            try rules.access.caller.requireActing(as: user)
            guard user != other else { throw ServiceError(.badRequest, "A user cannot block itself.") }
            guard try rules.writer.row(other, in: .user) != nil else {
                throw ServiceError(.userNotFound, "Could not find user.")
            }
            try rules.link(.block, user, other, try ObjectChange(.object([:]), allowsPaths: false))
        }
    }

    /// Ends that the caller blocks a user; does nothing if it does not.
    ///
    /// - Throws: ``ServiceError/Code/sessionRequired``, ``ServiceError/Code/forbidden``.
    package func unblock(_ other: UserReference, as caller: Caller) async throws {
        let user = try UserReference.caller.id(for: caller)
        let other = try other.id(for: caller)
        try await store.write(as: caller, by: settings) { rules in
            try rules.access.caller.requireActing(as: user)
            if let schema = try rules.writer.schema(of: .blocklist) { try rules.access.require(.delete, in: schema) }
            _ = try rules.writer.removePart(of: .blocklist, where: Relation.block.pair(user, other))
        }
    }

    /// The users whom a user blocks, and those who block it, as a condition that leaves them out.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - field: The field that names the other user; `nil` for queries of users.
    ///   - isMutual: Whether users who block the user are left out, too.
    /// - Returns: The condition.
    /// - Throws: Errors of the store.
    func unblocked(by user: ObjectID, in field: String?, isMutual: Bool) async throws -> Condition {
        let limit = settings.people.blocked
        let ids = try await store.read { reader in
            let blocked = ObjectQuery(.blocklist, where: Relation.belongs(to: user), page: Page(first: limit))
            var ids = try reader.find(blocked).compactMap { Relation.block.users(of: $0)?.other }
            if isMutual {
                let blocking = ObjectQuery(.blocklist, where: Relation.block.names(user), page: Page(first: limit))
                ids += try reader.find(blocking).compactMap { Relation.block.users(of: $0)?.user }
            }
            return ids
        }
        let values = ids.map { field == nil ? JSONValue.string($0.description) : Pointer(.user, $0).json }
        return .not(.field(FieldPath(field: field ?? "objectId"), .isIn(ValueSet(values))))
    }
}
