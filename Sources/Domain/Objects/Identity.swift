extension WriteTransaction {
    /// Replaces the identities of a user on other platforms.
    ///
    /// Throws ``ServiceError/Code/duplicateValue`` (137) if it is another user on one of them.
    func setIdentities(of user: ObjectID, to identities: Set<String>, _ settings: ObjectSettings) throws {
        var missing = identities
        for known in try find(ObjectQuery(.identity, where: .belongs(to: user), page: .all)) {
            let identity = known.fields["identity"]?.stringValue ?? ""
            if missing.remove(identity) == nil { _ = try delete(known.id, in: .identity) }
        }
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

    /// Removes the records that belong to a user.
    func removeTraces(ofUser id: ObjectID) throws {
        try endSessions(of: id)
        for known in try rows(ObjectQuery(.identity, where: .belongs(to: id), page: .all)) {
            _ = try delete(known.id, in: .identity)
        }
    }
}
