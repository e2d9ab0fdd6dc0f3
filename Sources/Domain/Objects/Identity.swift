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
                throw ServiceError(
                    .duplicateValue,
                    "A unique field was given a value that is already taken. The field is 'authData.\(identity.prefix { !":#".contains($0) })'.",
                    cause: error
                )
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
