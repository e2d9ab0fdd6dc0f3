internal import Synchronization

extension WriteTransaction {
    /// Replaces the identities of a user on other platforms.
    ///
    /// Throws ``ServiceError/Code/duplicateValue`` (137) if one of them belongs to another user.
    func setIdentities(of user: ObjectID, to identities: Set<String>, _ settings: ObjectSettings) throws {
        var missing = identities
        let known = try find(ObjectQuery(.identity, where: .belongs(to: user), page: .all))
        let obsolete = known.filter { missing.remove($0.fields["identity"]?.stringValue ?? "") == nil }
        try delete(obsolete.map(\.id), in: .identity)
        for identity in missing.sorted() {
            let fields: [String: JSONValue] = ["user": Pointer(.user, user).json, "identity": .string(identity)]
            do {
                try insert(.own(fields, settings), into: .identity)
            } catch let error as ServiceError where error.code == .duplicateValue {
                let platform = identity.prefix { !":#/".contains($0) }
                throw ServiceError.duplicate(of: "authData.\(platform)", cause: error)
            }
        }
    }

    /// Deletes the sessions, the identities, the mails and the codes of users.
    func removeTraces(of users: [ObjectID]) throws {
        for name in [ClassName.session, .identity] {
            let records = try rows(ObjectQuery(name, where: .belongs(toAny: users), page: .all))
            try delete(records.map(\.id), in: name)
        }
        try voidMails(of: users)
        try voidSMS(of: users)
    }
}

extension WriteTransaction {
    /// Adds the identities of users whose platforms have an id that identified no user in earlier versions: imports stored
    /// such users without them.
    ///
    /// An identity of another user stays with that user. Users that cannot be parsed are skipped; `lcfile check` reports
    /// them.
    ///
    /// - Parameters:
    ///   - last: The user after which to begin, in order of the ids; `nil` for the first one.
    ///   - settings: The settings of new records.
    /// - Returns: The last user that was read; `nil` at the end.
    /// - Throws: Errors of the store.
    fileprivate func addMissingIdentities(after last: ObjectID?, _ settings: ObjectSettings) throws -> ObjectID? {
        let id = FieldPath(field: "objectId")
        let rest = last.map { Condition.field(id, .compares(.greater, .string($0.description))) }
        let users = try rows(
            ObjectQuery(
                .user,
                where: rest ?? .always,
                order: [SortKey(id)],
                page: Page(first: 1000),
                replySize: 16 << 20
            )
        )
        for row in users {
            guard let user = try? row.object() else { continue }
            let authData = AuthData(stored: user.fields[AuthData.field])
            guard authData.hasSecondID else { continue }
            let known = try find(ObjectQuery(.identity, where: .belongs(to: row.id), page: .all))
            var all = Set(known.compactMap { $0.fields["identity"]?.stringValue })
            for identity in authData.identities.subtracting(all).sorted() {
                do {
                    try attempt { try setIdentities(of: row.id, to: all.union([identity]), settings) }
                    all.insert(identity)
                } catch let error as ServiceError where error.code == .duplicateValue {
                    continue
                }
            }
        }
        return users.last?.id
    }
}

extension ObjectService {
    /// The field of the class of identities which says that no identity is missing
    /// (``WriteTransaction/addMissingIdentities(after:_:)``); no object has it.
    private static let identitiesAreComplete = "_complete"

    /// Adds the identities that earlier versions did not store, once for each app; call it once, before the first request.
    ///
    /// After an error, log-ins with such an identity are refused until the next start: otherwise a user of an earlier
    /// version would get a second account, which keeps the identity.
    ///
    /// - Throws: Errors of the store, also for a damaged row.
    package func addMissingIdentities() async throws {
        settings.missesIdentities.store(true, ordering: .relaxed)
        try await completeIdentities()
        settings.missesIdentities.store(false, ordering: .relaxed)
    }

    /// Throws ``ServiceError/Code/unavailable`` for a change of a user's `authData` whose owner can be unknown, because
    /// the identities of earlier versions are not complete.
    func requireKnownIdentities(in change: ObjectChange) throws {
        guard settings.missesIdentities.load(ordering: .relaxed) else { return }
        var rest = change
        guard try AccountChange(taking: &rest).linked.contains(where: AuthData.hasSecondID) else { return }
        throw ServiceError(
            .unavailable,
            "Log-ins by this id are refused until the server has stored those of earlier users; see its log, and restart it."
        )
    }

    private func completeIdentities() async throws {
        let marker = ObjectService.identitiesAreComplete
        guard let known = try await store.read({ try $0.schema(of: .identity) }), known.fields[marker] == nil else {
            return
        }
        var last: ObjectID?
        repeat {
            last = try await store.write { [last, settings] writer in
                try writer.addMissingIdentities(after: last, settings)
            }
        } while last != nil
        try await store.write { writer in
            guard var schema = try writer.schema(of: .identity) else { return }
            schema.fields[marker] = FieldDefinition(.boolean)
            try writer.save(schema)
        }
    }
}
