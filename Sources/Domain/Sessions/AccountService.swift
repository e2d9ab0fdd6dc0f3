/// Logs users in, and renews passwords and session tokens (protocol/data 6.2, 6.3).
package struct AccountService: Sendable {
    private let store: any ObjectStore
    private let settings: ObjectSettings

    private var dependencies: AccountDependencies { settings.accountDependencies }

    /// - Parameters:
    ///   - store: The app's store.
    ///   - settings: The settings of objects and accounts.
    package init(store: any ObjectStore, settings: ObjectSettings) {
        self.store = store
        self.settings = settings
    }

    /// Compares a password and begins a session.
    ///
    /// - Returns: The user with its token.
    /// - Throws: Codes 119, 200, 201, 210, 211, 216, 218, 219; ``ServiceError/Code/overloaded`` if too many clients log
    ///   in.
    package func logIn(_ body: [String: JSONValue], as caller: Caller) async throws -> ObjectReply {
        try dependencies.requestLimits.takeLogIn(by: caller)
        let login = try Login(body, settings: dependencies.settings)
        // A parallel log-in can renew the hash; this one then compares again, with the new hash.
        for _ in 0..<3 {
            let row = try await store.read { [settings] in
                try $0.users(login.name, login.text, settings).first
            }
            // A lock of the user would tell that this name is that of a user whose other name the client has locked.
            let counted = dependencies.settings.hidesUnknownUsers ? nil : row
            let attempt =
                counted?.id.description
                ?? LoginAttempts.key(
                    of: login.name,
                    login.text,
                    country: dependencies.settings.countryCode
                )
            let isOutdated = try await compare(
                login.password,
                with: row,
                counting: attempt,
                for: caller,
                orThrow: unknownUser(row)
            )
            guard let row else { break }
            try requireVerified(row, loggingInBy: login.name)
            let hash =
                isOutdated ? try await dependencies.hasher.hash(login.password, for: caller.identityByAddress) : nil
            if let reply = try await welcome(row, replacing: hash, as: caller) { return reply }
        }
        throw unknownUser(nil)
    }

    /// Begins a session for a user whose password was compared; `nil` if the stored hash has changed since.
    private func welcome(
        _ row: ObjectRow,
        replacing hash: PasswordHash?,
        as caller: Caller
    ) async throws -> ObjectReply? {
        let compared = try row.object().fields[PasswordHash.field]
        return try await store.write(as: caller, by: settings) { rules in
            guard let schema = try rules.writer.schema(of: .user), let now = try rules.writer.row(row.id, in: .user)
            else { return nil }
            let before = try now.object()
            var user = before
            guard user.fields[PasswordHash.field] == compared else { return nil }
            guard let hash else { return try rules.welcome(now, in: schema) }
            user.fields[PasswordHash.field] = .string(hash.text)
            do {
                try rules.writer.attempt { try rules.writer.update(user, in: .user, from: before) }
            } catch let error as ServiceError where error.code == .storageFull {
                // The user can log in although there is no free space for the new hash.
                return try rules.welcome(now, in: schema)
            }
            return try rules.welcome(ObjectRow(user), in: schema)
        }
    }

    /// The user to whom a token belongs, with that token.
    ///
    /// - Throws: ``ServiceError/Code/userNotFound`` (211) for a stale or malformed token.
    package func user(showing token: String, as caller: Caller) async throws -> ObjectReply {
        try await store.read { [settings] reader in
            guard let token = SessionToken(token), let session = try reader.session(of: token),
                let schema = try reader.schema(of: .user), let row = try reader.row(session.user, in: .user)
            else { throw ServiceError(.userNotFound, "Could not find user.") }
            let rules = ObjectReadRules(reader: reader, access: ObjectAccess(caller: caller), settings: settings)
            return try rules.user(row, in: schema, token: token)
        }
    }

    /// Replaces a password after checking the old one.
    ///
    /// - Returns: Id, time and a new token; the old tokens end if the settings say so.
    /// - Throws: Codes 201, 206, 210, 211, 218, 219; ``ServiceError/Code/overloaded`` if too many clients log in.
    package func changePassword(
        of id: ObjectID,
        _ body: [String: JSONValue],
        as caller: Caller
    ) async throws -> ObjectReply {
        try dependencies.requestLimits.takeLogIn(by: caller)
        let limit = dependencies.settings.maxPasswordLength
        let old = try Password(body["old_password"], field: "old_password", limit: limit)
        let new = try Password(body["new_password"], field: "new_password", limit: limit)
        let row = try await store.read { [settings] reader in
            try ObjectWriteRules.own(
                id,
                in: reader,
                ObjectReadRules(reader: reader, caller: caller, settings: settings).access
            )
        }
        let mismatch = ServiceError(.wrongPassword, "The username and password mismatch.")
        _ = try await compare(old, with: row, counting: id.description, for: caller, orThrow: mismatch)
        let hash = try await dependencies.hasher.hash(new, for: caller.identityByAddress)
        let compared = try row.object().fields[PasswordHash.field]
        return try await renew(id, as: caller) { user, rules in
            guard user.fields[PasswordHash.field] == compared else { throw mismatch }
            user.fields[PasswordHash.field] = .string(hash.text)
            try rules.writer.voidMails(of: [id])
            try rules.writer.voidSMS(of: [id])
            if rules.settings.accountSettings.endsSessions { try rules.writer.endSessions(of: id) }
        }
    }

    /// Ends all sessions of a user and begins a new one.
    ///
    /// - Returns: Id, time and the new token.
    /// - Throws: Codes 206, 211.
    package func refreshSession(of id: ObjectID, as caller: Caller) async throws -> ObjectReply {
        try await renew(id, as: caller) { _, rules in try rules.writer.endSessions(of: id) }
    }

    /// Ends all sessions of a user, who has to log in again.
    ///
    /// - Returns: Their number.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; code 211 if the user does not exist.
    package func endSessions(of id: ObjectID, as caller: Caller) async throws -> Int {
        try caller.requireMasterKey()
        return try await store.write { writer in
            guard try writer.row(id, in: .user) != nil else {
                throw ServiceError(.userNotFound, "Could not find user.")
            }
            return try writer.endSessions(of: id)
        }
    }

    /// Whether the password must be hashed again; a wrong password counts against the name and throws.
    private func compare(
        _ password: Password,
        with row: ObjectRow?,
        counting name: String,
        for caller: Caller,
        orThrow refusal: ServiceError
    ) async throws -> Bool {
        try dependencies.attempts.requireOpen(name)
        let hash = try row?.object().fields[PasswordHash.field]?.stringValue.map(PasswordHash.init(stored:))
        let comparison = try await dependencies.hasher.verify(password, against: hash, for: caller.identityByAddress)
        try dependencies.attempts.record(name, isRight: comparison != .wrong)
        guard comparison != .wrong else { throw refusal }
        return comparison == .rightButOutdated
    }

    /// Throws ``ServiceError/Code/emailNotVerified`` or ``ServiceError/Code/phoneNotVerified`` if the app lets only users
    /// with a verified address or number log in; called after the password was compared, so that a guess does not learn
    /// it.
    private func requireVerified(_ row: ObjectRow, loggingInBy name: AccountName) throws {
        let user = try row.object()
        func isUnverified(_ name: AccountName) -> Bool {
            user.fields[name.rawValue] ?? .null != .null && !user.isVerified(name)
        }
        if dependencies.settings.requiresVerifiedEmail, isUnverified(.email) {
            throw ServiceError(.emailNotVerified, "The email address is not verified; open the link in the mail first.")
        }
        // A username and a password log in without it, as on LeanCloud (protocol/data 6.4).
        if name == .phone, dependencies.settings.requiresVerifiedPhone, isUnverified(.phone) {
            throw SMSCodeService.unverified
        }
    }

    private func unknownUser(_ row: ObjectRow?) -> ServiceError {
        row == nil && !dependencies.settings.hidesUnknownUsers
            ? ServiceError(.userNotFound, "Could not find user.")
            : ServiceError(.wrongPassword, "The username and password mismatch.")
    }

    /// Changes the user, who must be the caller, and begins a session.
    private func renew(
        _ id: ObjectID,
        as caller: Caller,
        _ change: @escaping @Sendable (inout StoredObject, ObjectWriteRules) throws -> Void
    ) async throws -> ObjectReply {
        try await store.write(as: caller, by: settings) { rules in
            let before = try ObjectWriteRules.own(id, in: rules.writer, rules.access).object()
            var user = before
            try change(&user, rules)
            user.touch(at: rules.settings.clock())
            try rules.writer.update(user, in: .user, from: before)
            let session = try rules.writer.beginSession(of: id, renewing: true, rules.settings)
            return ObjectReply(updated: user, ["sessionToken": .string(session.token.revealed)])
        }
    }
}

/// The credentials of a log-in.
private struct Login {
    let name: AccountName
    let text: String
    let password: Password

    init(_ body: [String: JSONValue], settings: AccountSettings) throws {
        let given = AccountName.allCases.first { body[$0.rawValue] != nil && body[$0.rawValue] != .null }
        guard let given, let text = body[given.rawValue]?.stringValue, !text.isEmpty else {
            throw ServiceError(.missingUsername, "Username is missing or empty.")
        }
        name = given
        self.text = try Login.known(text, given, settings)
        password = try Password(body["password"], limit: settings.maxPasswordLength)
    }

    /// The name in the spelling that is stored: a phone number can be written with spaces and similar marks.
    private static func known(_ text: String, _ name: AccountName, _ settings: AccountSettings) throws -> String {
        if name == .phone, let number = try? PhoneNumber(text, country: settings.countryCode) {
            return number.description
        }
        return try JSONValue.string(text).normalized(field: name.rawValue).stringValue ?? text
    }
}
