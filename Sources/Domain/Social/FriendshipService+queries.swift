/// Queries of relations: of their classes, with one condition more (docs/people.md).
extension FriendshipService {
    /// The lists of a user's relations.
    package enum List: String, Sendable, CaseIterable {
        /// Who follows the user.
        case followers
        /// Whom the user follows.
        case followees
    }

    /// A list of a user's relations.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - user: The user.
    ///   - search: Condition, order and page.
    ///   - view: The parts that the reply shows.
    ///   - caller: The caller, who sees what class permissions and ACLs allow.
    ///   - presence: Cancels slow queries when the client disconnects.
    /// - Returns: The listing.
    /// - Throws: Errors of queries; ``ServiceError/Code/sessionRequired`` for `self` without a session.
    package func list(
        _ list: List,
        of user: UserReference,
        _ search: ObjectCommand.Search,
        view: ObjectView,
        as caller: Caller,
        presence: (any CallerPresence)? = nil
    ) async throws -> ObjectReply {
        let user = try user.id(for: caller)
        return try await find(
            list == .followers ? .follower : .followee,
            search,
            and: [Relation.belongs(to: user)],
            view,
            caller,
            presence
        )
    }

    /// The friends of the caller whom the caller does not block.
    ///
    /// - Throws: As ``list(_:of:_:view:as:presence:)``.
    package func friends(
        _ search: ObjectCommand.Search,
        view: ObjectView,
        as caller: Caller,
        presence: (any CallerPresence)? = nil
    ) async throws -> ObjectReply {
        let user = try UserReference.caller.id(for: caller)
        let areFriends = Condition.field(FieldPath(field: "friendStatus"), .equals(.bool(true)))
        let unblocked = try await unblocked(by: user, in: Relation.followee.other, isMutual: false)
        let conditions = [Relation.belongs(to: user), areFriends, unblocked]
        return try await find(.followee, search, and: conditions, view, caller, presence)
    }

    /// The users whom the caller blocks.
    ///
    /// - Throws: As ``list(_:of:_:view:as:presence:)``.
    package func blocked(
        _ search: ObjectCommand.Search,
        view: ObjectView,
        as caller: Caller,
        presence: (any CallerPresence)? = nil
    ) async throws -> ObjectReply {
        let user = try UserReference.caller.id(for: caller)
        return try await find(.block, search, and: [Relation.belongs(to: user)], view, caller, presence)
    }

    /// Users for a search of friends: by equality of fields only, without those who block the caller or are blocked.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for other conditions, and errors of queries of users.
    package func strictly(
        _ search: ObjectCommand.Search,
        view: ObjectView,
        as caller: Caller,
        presence: (any CallerPresence)? = nil
    ) async throws -> ObjectReply {
        // A class that is closed is refused first, as for every other query of users.
        try await requireFinding(as: caller)
        var search = search
        guard search.page.skip == 0, search.redirectKey == nil else {
            throw ServiceError(.badRequest, "strictlyQuery takes no skip and no redirectClassNameForKey.")
        }
        try search.condition.requireStrict()
        if let user = caller.user {
            search.condition = .all([
                search.condition, try await unblocked(by: user.id, in: nil, isMutual: true),
            ])
        }
        search.page = Page(first: min(search.page.limit, FriendshipService.maxStrict))
        return try await objects.perform(
            ObjectCommand(.user, .find(search), view: view),
            as: caller,
            presence: presence
        )
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
                let page = Page(first: FriendshipService.maxBlocking)
                let blocking = ObjectQuery(.blocklist, where: Relation.block.names(user), page: page)
                ids += try reader.find(blocking).compactMap { Relation.block.users(of: $0)?.user }
            }
            return ids
        }
        let values = ids.map { field == nil ? JSONValue.string($0.description) : Pointer(.user, $0).json }
        return .not(.field(FieldPath(field: field ?? "objectId"), .isIn(ValueSet(values))))
    }

    /// The maximum number of users that one strict query finds.
    private static let maxStrict = 100
    /// The maximum number of users who block the caller and are left out; others decide how many do.
    private static let maxBlocking = 10_000

    private func requireFinding(as caller: Caller) async throws {
        try await store.read { [settings] reader in
            let rules = try ObjectReadRules(reader: reader, caller: caller, settings: settings)
            guard let schema = try reader.schema(of: .user) else { return }
            _ = try rules.access.query(.always, in: schema)
        }
    }

    private func find(
        _ relation: Relation,
        _ search: ObjectCommand.Search,
        and conditions: [Condition],
        _ view: ObjectView,
        _ caller: Caller,
        _ presence: (any CallerPresence)?
    ) async throws -> ObjectReply {
        var search = search
        search.condition = .all(conditions + [search.condition])
        let command = ObjectCommand(relation.className, .find(search), view: view)
        return try await objects.perform(command, as: caller, presence: presence)
    }
}

extension Condition {
    /// Throws ``ServiceError/Code/badRequest`` unless the condition consists of equalities of fields that users show to
    /// others.
    fileprivate func requireStrict() throws {
        for path in try equalities where Condition.protected.contains(path.field) { throw Condition.notStrict }
    }

    private var equalities: [FieldPath] {
        get throws {
            switch self {
            case .all(let conditions): return try conditions.flatMap { try $0.equalities }
            case .field(let path, .equals(let value)) where value != .null: return [path]
            default: throw Condition.notStrict
            }
        }
    }

    /// Fields that cannot be used to find other users.
    private static let protected: Set<String> = [
        AccountName.email.rawValue, AccountName.phone.rawValue, AuthData.field, PasswordHash.field,
        ImportedCredentials.field, AccountName.emailVerified, AccountName.phoneVerified,
    ]

    private static let notStrict = ServiceError(
        .badRequest,
        "The where of strictlyQuery must compare fields for equality, and none of email, mobilePhoneNumber, authData, "
            + "emailVerified and mobilePhoneVerified."
    )
}
