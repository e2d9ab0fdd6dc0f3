extension ObjectWriteRules {
    /// The maximum size of a role in bytes: it is read at each log-in of its members.
    private static let largestRole = 16 << 10

    /// Throws unless a new role has a name and an ACL (protocol/data 5.3).
    func requireRole(_ role: StoredObject, with acl: AccessControlList?) throws {
        try RoleName.check(role.fields["name"], by: access.caller)
        guard acl != nil else { throw ServiceError(.badRequest, "Role ACL is required.") }
        try requireSize(of: role)
    }

    /// Throws if a change renames a role.
    func requireRole(_ role: StoredObject, instead before: StoredObject) throws {
        guard role.fields["name"]?.isSame(as: before.fields["name"] ?? .null) == true else {
            throw ServiceError(.invalidRoleName, "The name of a role does not change.")
        }
        try requireSize(of: role)
    }

    private func requireSize(of role: StoredObject) throws {
        var limits = settings.limits
        limits.objectSize = min(limits.objectSize, ObjectWriteRules.largestRole)
        limits.masterObjectSize = 0
        try limits.requireSize(of: role, by: access.caller)
    }
}
