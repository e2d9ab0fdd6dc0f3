/// Devices register themselves: a `POST` creates an installation or updates the one that they have (docs/people.md).
extension ObjectWriteRules {
    /// Creates an installation, or updates the one with the same id, `installationId` or `deviceToken`, in this order.
    ///
    /// SDKs send the id and the times of an installation back. An id that does not exist here, such as one from another
    /// server, is ignored. Other installations with the device token are deleted, because they are the same device.
    ///
    /// - Parameters:
    ///   - change: The fields.
    ///   - returnsObject: Whether the reply contains all fields.
    /// - Returns: The id and the times; a new installation is `created`.
    /// - Throws: Errors of the rules of all objects.
    func register(_ change: ObjectChange, returnsObject: Bool) throws -> ObjectReply {
        // An import stores what it brings.
        guard !change.isImport || !access.caller.isMaster else {
            return try create(change, in: .installation, returnsObject: returnsObject)
        }
        var change = change
        let given = change.takeSystemFields()
        let holders = try installations("deviceToken", of: change)
        let known =
            try given["objectId"]?.stringValue.flatMap(ObjectID.init).flatMap { try writer.row($0, in: .installation) }
            ?? installations("installationId", of: change).first ?? ownHolder(among: holders, for: change)
        guard let known else { return try create(change, in: .installation, returnsObject: returnsObject) }
        if let schema = try writer.schema(of: .installation) { try access.require(.create, in: schema) }
        var reply = try update(known.id, change, in: .installation, where: nil, returnsObject: returnsObject)
        reply.set("createdAt", to: known.createdAt.iso8601)
        try removeStale(holders.filter { $0.id != known.id })
        return reply
    }

    /// The installations that have the value that a change sets a field to, the last changed first.
    private func installations(_ field: String, of change: ObjectChange) throws -> [ObjectRow] {
        guard let text = change.value(of: field)?.stringValue, !text.isEmpty else { return [] }
        return try writer.rows(
            ObjectQuery(
                .installation,
                where: .field(FieldPath(field: field), .equals(.string(text))),
                order: [SortKey(FieldPath(field: "updatedAt"), descending: true)],
                page: Page(first: 10)
            )
        )
    }

    /// The installation with the token of a device that has forgotten its id: the first one that the caller can change.
    ///
    /// One that an ACL protects is no obstacle: the same device gets a second one if it registers without the token first.
    /// But if the caller could not change the second one either, each start of an app would create one more: then it is
    /// the first one with the token, whose update is refused.
    private func ownHolder(among holders: [ObjectRow], for change: ObjectChange) throws -> ObjectRow? {
        guard !holders.isEmpty, let schema = try writer.schema(of: .installation) else { return nil }
        // Without the right to update any, each start of an app would create one more.
        try access.require(.update, in: schema)
        let own = holders.first { (try? access.requireWriting(.update, $0, in: schema)) != nil }
        if let own { return own }
        let acl = change.acl ?? schema.defaultACL?.owned(by: access.caller.user?.id)
        return acl?.grants(.write, to: access.caller.subjects) ?? true ? nil : holders.first
    }

    /// Deletes installations that the caller is allowed to delete.
    private func removeStale(_ rows: [ObjectRow]) throws {
        guard let schema = try writer.schema(of: .installation) else { return }
        let stale = rows.filter { (try? access.requireWriting(.delete, $0, in: schema)) != nil }
        try writer.delete(stale.map(\.id), in: .installation)
    }
}
