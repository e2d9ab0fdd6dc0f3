/// The slow steps of a change of a user, which run before its transaction: hashing passwords, querying providers.
struct AccountPreparation: Sendable {
    let dependencies: AccountDependencies
    let caller: Caller

    /// The maximum number of passwords in a batch: each is slow to hash, and one batch occupies the threads for all of
    /// them.
    static let maxPasswords = 100

    /// Throws ``ServiceError/Code/badRequest`` if a batch sets more passwords than the limit.
    static func requireFewPasswords(in changes: [ObjectChange]) throws {
        guard changes.count(where: { $0.fields.contains("password") }) <= maxPasswords else {
            throw ServiceError(.badRequest, "The batch sets more than \(maxPasswords) passwords, the limit.")
        }
    }

    /// The change with the hash in place of the password and with verified `authData`, in which the verifier can replace
    /// the data of a platform.
    ///
    /// - Parameters:
    ///   - change: The change as the client sent it.
    ///   - isNew: Whether the change creates the user; a `null` password then counts as a missing one.
    ///   - known: The stored `authData` of the user; an identical value in the change is not verified again.
    /// - Returns: The change that a transaction can apply.
    /// - Throws: 1, 105, 107, 111, 117, 201, 218, 251; ``ServiceError/Code/overloaded`` if too many passwords wait, or
    ///   too many users were created from the caller's address.
    func prepared(_ change: ObjectChange, isNew: Bool, knowing known: AuthData) async throws -> ObjectChange {
        var change = change
        try SystemFields.require(change.systemFields, settableBy: caller)
        if isNew, caller.isMaster, change.isImport {
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
        if imported.isOne {
            change.passwordHash = try imported.hash
        } else if let operation = password.last?.operation, !(isNew && operation == .set(.null)) {
            guard password.allSatisfy({ !$0.path.isNested }), let value = operation.value else {
                throw ServiceError(.invalidKey, "The field 'password' can only be set.")
            }
            let new = try Password(value, limit: dependencies.settings.maxPasswordLength)
            // A request with `authData` can be a log-in: then the transaction decides.
            if isNew, account.linked.isEmpty { try dependencies.signUpRate.require(for: caller) }
            change.passwordHash = try await dependencies.hasher.hash(new, for: caller.identityByAddress)
        }
        guard let verifier = dependencies.verifier, !caller.isMaster else { return change }
        var authData = account.authData
        var isReplaced = false
        for (index, part) in authData.enumerated() {
            guard case .set(let platform, let data) = part, platform != AuthData.anonymous else { continue }
            if known.platforms[platform]?.isSame(as: data) == true { continue }
            let verified = try await verifier.verify(data, of: platform, in: caller.app)
            guard !verified.isSame(as: data) else { continue }
            authData[index] = .set(platform, verified)
            isReplaced = true
        }
        if isReplaced { try change.replaceAuthData(by: authData) }
        return change
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
        let empty: [JSONValue?] = [nil, .null, .string("")]
        let hasPassword = !empty.contains(value(of: "password"))
        for field in ["password", "salt", "bcryptPassword"] where empty.contains(value(of: field)) {
            _ = remove(field)
        }
        // A salt without its hash says nothing.
        if !hasPassword { _ = remove("salt") }
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
