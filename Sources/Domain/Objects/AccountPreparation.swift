/// What must happen to a change of a user before its transaction, because it takes long: hashing, asking providers.
struct AccountPreparation: Sendable {
    let dependencies: AccountDependencies
    let caller: Caller

    /// Hashing each password of a batch takes long, and one batch uses the threads for all of its passwords.
    static let maxPasswords = 100

    /// Throws ``ServiceError/Code/badRequest`` if a batch sets more passwords than it may.
    static func requireFewPasswords(in changes: [ObjectChange]) throws {
        guard changes.count(where: { $0.fields.contains("password") }) <= maxPasswords else {
            throw ServiceError(.badRequest, "The batch sets more than \(maxPasswords) passwords, the limit.")
        }
    }

    /// The change with the password's hash in place of the password, and `authData` that may be believed.
    ///
    /// - Parameters:
    ///   - change: What the request says.
    ///   - isNew: Whether the user is to be made; then a password that is null is none.
    ///   - known: The `authData` that the user holds already; what is sent back unchanged is not verified again.
    /// - Returns: The change as it may go into a transaction.
    /// - Throws: 1, 105, 107, 111, 117, 201, 218, 251; ``ServiceError/Code/overloaded`` if too many passwords wait, or
    ///   the caller's address has made too many users.
    func prepared(_ change: ObjectChange, isNew: Bool, knowing known: AuthData) async throws -> ObjectChange {
        var change = change
        let password = change.remove("password")
        var imported = ImportedPassword(taking: &change)
        imported.password = password.last?.operation.value
        // What is left over is looked at before anything is hashed.
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
            // A request with authData may only log in: then the transaction decides.
            if isNew, account.linked.isEmpty { try dependencies.signUpRate.require(for: caller) }
            change.passwordHash = try await dependencies.hasher.hash(new, for: caller.identityByAddress)
        }
        guard let verifier = dependencies.verifier, !caller.isMaster else { return change }
        for (platform, data) in account.linked where platform != AuthData.anonymous {
            if known.platforms[platform]?.isSame(as: data) == true { continue }
            try await verifier.verify(data, of: platform, in: caller.app)
        }
        return change
    }
}

/// The hash of a user from elsewhere, which the master key may bring along (docs/accounts.md).
private struct ImportedPassword {
    var password: JSONValue?
    private let salt: JSONValue?
    private let bcrypt: JSONValue?
    /// Whether the change says anything of it.
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
    /// The value that is set; `nil` for every other operation.
    fileprivate var value: JSONValue? {
        guard case .set(let value) = self else { return nil }
        return value
    }
}
