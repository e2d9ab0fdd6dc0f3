/// The checks before the hash of a password, and for existing users before the verifier: the transaction's rules for
/// updates, and those of ``ObjectWriteRules/signUp(_:onlyKnown:hasProvenPhone:)``, in its order.
extension AccountPreparation {
    /// The stored `authData` of a user whom the caller is allowed to change.
    ///
    /// - Parameter user: The user.
    /// - Returns: Its `authData`; empty if the user does not exist, which the transaction reports.
    /// - Throws: ``ServiceError/Code/forbidden``, ``ServiceError/Code/sessionRequired``.
    func authData(of user: ObjectID) async throws -> AuthData {
        try await store.read { [self] reader in
            let access = try ObjectReadRules(reader: reader, caller: caller, settings: settings).access
            let schema = try reader.schema(of: .user) ?? .users
            if checksRights { try access.require(.update, of: user, in: schema) }
            guard let row = try reader.row(user, in: .user) else { return AuthData(stored: nil) }
            if checksRights { try access.requireWriting(.update, row, in: schema) }
            return AuthData(stored: try row.object().fields[AuthData.field])
        }
    }

    /// Throws unless the caller is allowed to create a user, and the user's names are free.
    ///
    /// A user whom the data of a platform identifies is logged in instead.
    ///
    /// - Parameter change: The change with verified `authData`.
    /// - Throws: ``ServiceError/Code/forbidden``, and codes 125, 127, 200, 202, 203, 211, 214, 217.
    func requireRightToCreate(by change: ObjectChange) async throws {
        guard checksRights, !caller.isMaster else { return }
        try await store.read { [self] reader in
            var rest = change
            let account = try AccountChange(taking: &rest)
            guard try reader.user(linkedTo: account.linked) == nil else { return }
            guard !mustExist else { throw ServiceError(.userNotFound, "Could not find user.") }
            let access = try ObjectReadRules(reader: reader, caller: caller, settings: settings).access
            if let schema = try reader.schema(of: .user) { try access.require(.create, in: schema) }
            if account.linked.isEmpty { try account.requireName() }
            for name in account.given {
                // The transaction reports a value of another type.
                guard let text = change.value(of: name.rawValue)?.stringValue else { continue }
                try name.check(.string(text))
                let stored = try name.stored(text, country: settings.accountSettings.countryCode)
                try reader.requireFree(name, stored, for: nil, settings)
            }
        }
    }
}
