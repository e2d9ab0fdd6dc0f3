extension ObjectWriteRules {
    /// Creates a user and logs it in, or logs in the user whom `authData` identifies (protocol/data 6.1, 6.5).
    ///
    /// - Parameters:
    ///   - change: The fields of the user.
    ///   - onlyKnown: Whether an unknown user is refused instead of created: `failOnNotExist`.
    ///   - hasProvenPhone: Whether the client has proven by a code that the number in the change is the user's; then the
    ///     user needs no password.
    /// - Returns: The user with a session token; a new user is `created`.
    /// - Throws: Codes 105, 111, 117, 125, 127, 137, 200 to 203, 211, 214, 217, 250, 429.
    func signUp(
        _ change: ObjectChange,
        onlyKnown: Bool,
        hasProvenPhone: Bool = false
    ) throws -> ObjectReply {
        var change = change
        let account = try AccountChange(taking: &change)
        if !change.isImport, !hasProvenPhone, let known = try writer.user(linkedTo: account.linked) {
            return try logIn(known, account)
        }
        guard !onlyKnown else { throw ServiceError(.userNotFound, "Could not find user.") }
        if let schema = try writer.schema(of: .user) { try access.require(.create, in: schema) }
        // An imported user can be one who logs in by a code sent to a phone.
        if account.linked.isEmpty, !change.isImport {
            try account.requireName()
            guard account.passwordHash != nil || hasProvenPhone else {
                throw ServiceError(.missingPassword, "Password is missing or empty.")
            }
        }
        var edit = try newObject(change, in: .user, acl: change.acl, ownsItself: true)
        if !account.names.contains(.username) {
            edit.object.fields["username"] = .string(RandomString.lowercase(25))
        }
        for field in AccountName.allCases.compactMap(\.verifiedField) where edit.object.fields[field] == nil {
            edit.object.fields[field] = .bool(false)
        }
        try finish(account, change, of: nil, in: &edit)
        if hasProvenPhone { edit.object.verify(.phone) }
        try store(edit)
        try queueVerification(of: edit.object, instead: nil, change)
        try queueCode(of: edit.object, instead: nil, change)
        // After every check, so that a refused sign-up does not count against the limit.
        try signUps.take(for: access.caller)
        var reply =
            change.isImport
            ? try imported(edit.object, with: change.sessionToken)
            : try welcome(ObjectRow(edit.object), in: edit.schema)
        reply.created = Pointer(.user, edit.object.id)
        return reply
    }

    /// The reply to the import of a user: not logged in, but with the session of an imported token.
    private func imported(_ user: StoredObject, with token: SessionToken?) throws -> ObjectReply {
        if let token { _ = try writer.beginSession(of: user.id, with: token, settings) }
        return ObjectReply(created: user, in: .user)
    }

    /// Applies the account part of a change to a new or existing user.
    ///
    /// - Parameters:
    ///   - account: The account part of the change.
    ///   - change: The rest of the change.
    ///   - before: The user as stored; `nil` for a new one.
    ///   - edit: The user with the rest applied.
    /// - Throws: Codes 125, 127, 137, 200, 202, 203, 214, 217, 250.
    func finish(
        _ account: AccountChange,
        _ change: ObjectChange,
        of before: StoredObject?,
        in edit: inout ObjectEdit
    ) throws {
        let id = edit.object.id
        for name in account.names {
            var value = edit.object.fields[name.rawValue] ?? .null
            // Another server had its own rules, perhaps none at first.
            if !change.isFromOtherServer, name == .username || value != .null { try name.check(value) }
            let old = before?.fields[name.rawValue]
            if let old, value.isSame(as: old) { continue }
            if !change.isFromOtherServer, let text = value.stringValue {
                value = .string(try name.stored(text, country: settings.accountSettings.countryCode))
                edit.object.fields[name.rawValue] = value
                if let old, value.isSame(as: old) { continue }
            }
            if let text = value.stringValue { try writer.requireFree(name, text, for: id, settings) }
            if name.isSame(value, as: old, country: settings.accountSettings.countryCode) { continue }
            if let flag = name.verifiedField, !change.fields.contains(flag) {
                edit.object.fields[flag] = .bool(false)
            }
        }
        var authData = AuthData(stored: before?.fields[AuthData.field])
        let known = authData
        try authData.apply(account.authData, isImport: change.isFromOtherServer)
        // A user with a name and a password is no longer anonymous (protocol/data 6.5).
        if account.names.contains(.username), account.passwordHash != nil {
            try authData.apply([.remove(AuthData.anonymous)])
        }
        if !authData.json.isSame(as: known.json) { try store(authData, in: &edit.object) }
        if let hash = account.passwordHash { edit.object.fields[PasswordHash.field] = .string(hash.text) }
        if change.isFromOtherServer {
            var imported = ImportedCredentials(of: before)
            // Also those that the user has already: the next import is compared with this one.
            imported.take(change.importedHash, change.sessionToken)
            edit.object.fields[ImportedCredentials.field] = imported.json
        }
        if let before { try changeSessions(of: before, account, change) }
    }

    /// Ends the sessions of an existing user whose password changes, and gives the user an imported token.
    private func changeSessions(of user: StoredObject, _ account: AccountChange, _ change: ObjectChange) throws {
        let id = user.id
        var kept: ObjectID?
        if let token = change.sessionToken {
            kept = try session(of: user, importedWith: token)
        }
        guard account.passwordHash != nil, settings.accountSettings.endsSessions else { return }
        // No session can have begun with a password before the import that gives the user the first one.
        if change.isFromOtherServer, user.fields[PasswordHash.field] == nil { return }
        try writer.endSessions(of: id, except: kept)
    }

    /// The session of the token that an import gives to an existing user, which begins if the token is a new one.
    ///
    /// The other server has one token for a user: with another one it has revoked that of the last import. A token that
    /// the last import gave, and whose session has ended here since, stays without one.
    private func session(of user: StoredObject, importedWith token: SessionToken) throws -> ObjectID? {
        let known = ImportedCredentials(of: user).token
        if let known, known != token.digest, let revoked = try writer.session(withDigest: known),
            revoked.user == user.id
        {
            _ = try writer.delete(revoked.id, in: .session)
        }
        if let session = try writer.session(of: token), session.user == user.id { return session.id }
        guard known != token.digest else { return nil }
        return try writer.beginSession(of: user.id, with: token, renewing: true, settings).id
    }

    /// Adds a new token to the reply to a change that ended the session of its caller, who has set an own password.
    ///
    /// The own session ends as well: other devices can have its token, if log-ins share one or did when it began, or if
    /// it was imported. SDKs take the token from any reply that shows their user.
    ///
    /// - Parameters:
    ///   - reply: The reply to the change.
    ///   - id: The changed user.
    ///   - account: The account part of the change.
    /// - Throws: Errors of the store.
    func renewSession(in reply: inout ObjectReply, of id: ObjectID, _ account: AccountChange) throws {
        let accounts = settings.accountSettings
        guard account.passwordHash != nil, accounts.endsSessions, access.caller.user?.id == id else { return }
        let session = try writer.beginSession(of: id, renewing: true, settings)
        reply.set("sessionToken", to: session.token.revealed)
        reply.renewsSession = true
        reply.user = Caller.User(id: id, session: session.id, epoch: settings.accountDependencies.sessionCache.epoch)
    }

    /// Begins a session for a user and returns the user with the session token.
    func welcome(_ row: ObjectRow, in schema: ClassSchema) throws -> ObjectReply {
        let session = try writer.beginSession(of: row.id, settings)
        var reply = try readRules.user(row, in: schema, token: session.token)
        reply.user = Caller.User(
            id: row.id,
            session: session.id,
            epoch: settings.accountDependencies.sessionCache.epoch
        )
        return reply
    }

    /// A user whom the caller is allowed to change: itself, or any user for the master key.
    ///
    /// - Throws: ``ServiceError/Code/forbidden``, ``ServiceError/Code/sessionRequired``,
    ///   ``ServiceError/Code/userNotFound``.
    static func own(_ id: ObjectID, in reader: any ReadTransaction, _ access: ObjectAccess) throws -> ObjectRow {
        let schema = try reader.schema(of: .user) ?? .users
        try access.require(.update, of: id, in: schema)
        guard let row = try reader.row(id, in: .user) else {
            throw ServiceError(.userNotFound, "Could not find user.")
        }
        try access.requireWriting(.update, row, in: schema)
        return row
    }

    private func logIn(_ id: ObjectID, _ account: AccountChange) throws -> ObjectReply {
        let (schema, row) = try existing(id, in: .user)
        let before = try row.object()
        var object = before
        var authData = AuthData(stored: object.fields[AuthData.field])
        try authData.apply(account.linked.map { .set($0.platform, $0.data) })
        guard !authData.json.isSame(as: object.fields[AuthData.field] ?? .object([:])) else {
            return try welcome(row, in: schema)
        }
        object.touch(at: settings.clock())
        do {
            try writer.attempt {
                try store(authData, in: &object)
                try settings.limits.requireSize(of: object, instead: row.size, by: access.caller)
                try writer.update(object, in: .user, from: before)
            }
        } catch let error as ServiceError where error.code == .duplicateValue {
            // An identity of another user stays with that user, and nothing is written.
            return try welcome(row, in: schema)
        }
        return try welcome(ObjectRow(object), in: schema)
    }

    /// Stores `authData` in a user, and its identities as records that can be queried.
    private func store(_ authData: AuthData, in object: inout StoredObject) throws {
        object.fields[AuthData.field] = authData.json
        try writer.setIdentities(of: object.id, to: authData.identities, settings)
    }
}

extension ObjectReadRules {
    /// A user in the view of itself, with a token.
    func user(_ row: ObjectRow, in schema: ClassSchema, token: SessionToken) throws -> ObjectReply {
        // The view of a user on itself does not depend on its session.
        let user = Caller.User(id: row.id, session: row.id)
        let itself = ObjectReadRules(
            reader: reader,
            access: ObjectAccess(caller: access.caller.logged(in: user)),
            settings: settings
        )
        var reply = ObjectReply(try itself.presenter.object(row, in: schema, view: .plain))
        reply.set("sessionToken", to: token.revealed)
        return reply
    }
}

extension ReadTransaction {
    /// The users with a name, in any of its forms; at most one, unless users were imported.
    func users(_ name: AccountName, _ text: String, _ settings: ObjectSettings) throws -> [ObjectRow] {
        let forms = name.forms(of: text, country: settings.accountSettings.countryCode).map(JSONValue.string)
        let path = FieldPath(field: name.rawValue)
        let condition: Condition =
            forms.count == 1 ? .field(path, .equals(forms[0])) : .field(path, .isIn(ValueSet(forms)))
        return try rows(ObjectQuery(.user, where: condition, page: Page(first: 2)))
    }

    /// Throws the error of a taken name if another user than the given one has the name.
    func requireFree(_ name: AccountName, _ text: String, for id: ObjectID?, _ settings: ObjectSettings) throws {
        guard try users(name, text, settings).allSatisfy({ $0.id == id }) else { throw name.taken }
    }

    /// The user whom platforms identify: by the union id first, then by the platform's own id (protocol/data 6.5).
    func user(linkedTo platforms: [(platform: String, data: JSONValue)]) throws -> ObjectID? {
        let unions = platforms.compactMap { AuthData.unionIdentity(of: $0.platform, $0.data) }
        let identities = try platforms.map { try AuthData.identity($0.platform, $0.data) }
        for identity in unions + identities {
            if let user = try user(with: identity) { return user }
        }
        return nil
    }

    fileprivate func user(with identity: String) throws -> ObjectID? {
        let isIdentity = Condition.field(FieldPath(field: "identity"), .equals(.string(identity)))
        return try find(ObjectQuery(.identity, where: isIdentity, page: .first)).first?.user
    }
}
