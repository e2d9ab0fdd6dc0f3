/// The slow steps of a change of a user, which run before its transaction: hashing passwords, querying providers.
///
/// Each counts as a log-in of the client's address. The rights to change a user are checked before both; the right to
/// create one and the free names before the hash, after the verifier. The transaction checks them again.
struct AccountPreparation: Sendable {
    let store: any ObjectStore
    let settings: ObjectSettings
    let caller: Caller
    /// See ``ObjectCommand/mustExist``.
    var mustExist = false
    /// Whether the password was counted as a log-in before.
    var isCounted = false
    /// Whether rights and names are checked before the transaction: not if earlier changes of the same transaction can
    /// give them.
    var checksRights = true

    private var dependencies: AccountDependencies { settings.accountDependencies }

    /// The change with the hash in place of the password and with verified `authData`, in which the verifier can replace
    /// the data of a platform.
    ///
    /// - Parameters:
    ///   - change: The change as the client sent it.
    ///   - user: The changed user, whose stored data is not verified again; `nil` for a new one, for whom a `null`
    ///     password counts as a missing one.
    /// - Returns: The change that a transaction can apply.
    /// - Throws: 1, 105, 107, 111, 117, 201, 218, 251, and the errors of a caller without the right to make the change;
    ///   ``ServiceError/Code/overloaded`` if too many passwords wait, or if clients at the caller's address have created
    ///   too many users or tried too many log-ins.
    func prepared(_ change: ObjectChange, of user: ObjectID?) async throws -> ObjectChange {
        var change = change
        let isNew = user == nil
        try SystemFields.require(change.systemFields, settableBy: caller)
        if caller.isMaster, isNew ? change.isImport : change.isFromOtherServer {
            change.sessionToken = try importedToken(in: &change)
            change.removeMissingPassword()
        }
        let password = change.remove("password")
        var imported = ImportedPassword(taking: &change)
        imported.password = password.last?.operation.value
        // The remaining fields are checked before a password is hashed.
        var rest = change
        let account = try AccountChange(taking: &rest)
        guard caller.isMaster || !imported.isTouched else {
            throw ServiceError(.readOnlyField, "Only the master key can set the fields 'salt' and 'bcryptPassword'.")
        }
        guard !imported.isOne else {
            change.importedHash = try imported.hash
            change.passwordHash = change.importedHash
            return change
        }
        let new = try self.password(in: password, isNew: isNew)
        if new != nil {
            // A request with `authData` can be a log-in: then the transaction decides.
            if isNew, account.linked.isEmpty { try dependencies.signUpRate.require(for: caller) }
            if !isCounted { try dependencies.requestLimits.takeLogIn(by: caller) }
        }
        var known = AuthData(stored: nil)
        let isClaim = dependencies.verifier != nil && !account.claimed.isEmpty
        if let user, !caller.isMaster, new != nil || isClaim { known = try await authData(of: user) }
        try await verify(account, in: &change, knowing: known)
        guard let new else { return change }
        // The data of a platform identifies a user when it is verified.
        if isNew { try await requireRightToCreate(by: change) }
        change.passwordHash = try await dependencies.hasher.hash(new, for: caller.identityByAddress)
        return change
    }

    /// The password that the operations on its field set; `nil` for none.
    private func password(in operations: [(path: FieldPath, operation: Operation)], isNew: Bool) throws -> Password? {
        guard let operation = operations.last?.operation, !(isNew && operation == .set(.null)) else { return nil }
        guard operations.allSatisfy({ !$0.path.isNested }), let value = operation.value else {
            throw ServiceError(.invalidKey, "The field 'password' can only be set.")
        }
        return try Password(value, limit: dependencies.settings.maxPasswordLength)
    }

    /// Has a verifier confirm the platforms of a change, and takes the data with which it replaces theirs.
    private func verify(
        _ account: AccountChange,
        in change: inout ObjectChange,
        knowing known: AuthData
    ) async throws {
        guard let verifier = dependencies.verifier, !caller.isMaster else { return }
        var authData = account.authData
        var isReplaced = false
        for (index, part) in authData.enumerated() {
            guard case .set(let platform, let data) = part, platform != AuthData.anonymous else { continue }
            if known.platforms[platform]?.isSame(as: data) == true { continue }
            try dependencies.requestLimits.takeLogIn(by: caller)
            let verified = try await verifier.verify(data, of: platform, in: caller.app)
            guard !verified.isSame(as: data) else { continue }
            authData[index] = .set(platform, verified)
            isReplaced = true
        }
        if isReplaced { try change.replaceAuthData(by: authData) }
    }

    /// Removes the session token from the fields of an imported user; `nil` if the user has none.
    private func importedToken(in change: inout ObjectChange) throws -> SessionToken? {
        switch change.remove("sessionToken").last?.operation.value {
        case nil, .null, .string(""): return nil
        case let value?:
            guard let token = value.stringValue.flatMap(SessionToken.init) else {
                throw ServiceError(.badRequest, "sessionToken must be a String of 25 letters and digits.")
            }
            return token
        }
    }
}

extension ObjectChange {
    /// Removes the fields of a password without a value: exports have null and empty strings for users without one.
    fileprivate mutating func removeMissingPassword() {
        for field in ["password", "salt", "bcryptPassword"] {
            guard let given = value(of: field), given == .null || given == .string("") else { continue }
            _ = remove(field)
        }
        // A salt without its hash says nothing.
        if value(of: "password") == nil { _ = remove("salt") }
    }
}

/// The password hash of an imported user, which only the master key can set (docs/accounts.md).
private struct ImportedPassword {
    var password: JSONValue?
    private let salt: JSONValue?
    private let bcrypt: JSONValue?
    /// Whether the change contains one of the fields of the hash.
    let isTouched: Bool

    init(taking change: inout ObjectChange) {
        let (salt, bcrypt) = (change.remove("salt"), change.remove("bcryptPassword"))
        isTouched = !salt.isEmpty || !bcrypt.isEmpty
        self.salt = salt.last?.operation.value.flatMap { $0 == .null ? nil : $0 }
        self.bcrypt = bcrypt.last?.operation.value.flatMap { $0 == .null ? nil : $0 }
    }

    var isOne: Bool { salt != nil || bcrypt != nil }

    var hash: PasswordHash {
        get throws {
            switch (salt, bcrypt, password?.stringValue) {
            case (let salt?, nil, let hash?):
                return try PasswordHash(leanCloud: hash, salt: salt.stringValue ?? "")
            case (nil, let bcrypt?, nil):
                return try PasswordHash(bcrypt: bcrypt.stringValue ?? "")
            default:
                throw ServiceError(.badRequest, "A user can have password and salt, bcryptPassword, or password alone.")
            }
        }
    }
}

extension Operation {
    /// The value that the operation sets; `nil` for every other operation.
    fileprivate var value: JSONValue? {
        guard case .set(let value) = self else { return nil }
        return value
    }
}
