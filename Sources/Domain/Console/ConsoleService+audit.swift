/// The audit log: an entry for each change that is made through the console.
extension ConsoleService {
    /// Writes the entry of a change before the change is made, so that no change is without one.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - session: Who makes it.
    ///   - address: The client address.
    /// - Returns: The id of the entry, for ``finish(_:status:)``; `nil` if the storage is full, when objects and files
    ///   can still be deleted.
    /// - Throws: Errors of the store.
    package func begin(
        _ change: ConsoleChange,
        of session: ConsoleSession,
        from address: String
    ) async throws -> ObjectID? {
        let now = now()
        let entry = change.object(of: session, from: address, id: ids.next(), at: now)
        let oldest = now.adding(seconds: -settings.auditLife * 24 * 3600)
        do {
            try await store.write { writer in
                try writer.removeAuditEntries(before: oldest)
                try writer.insert(entry, into: .consoleAudit)
            }
            return entry.id
        } catch let error as ServiceError where error.code == .storageFull {
            return nil
        }
    }

    /// Adds the status of the response to an entry; without one the entry says that the result is not known.
    ///
    /// - Throws: Errors of the store.
    package func finish(_ entry: ObjectID, status: Int) async throws {
        let now = now()
        try await store.write { writer in
            guard var object = try writer.object(entry, in: .consoleAudit) else { return }
            let before = object
            object.fields["status"] = .integer(Int64(status))
            object.touch(at: now)
            try writer.update(object, in: .consoleAudit, from: before)
        }
    }
}

extension WriteTransaction {
    /// Removes old entries, a bounded number at a time.
    fileprivate func removeAuditEntries(before moment: Timestamp) throws {
        let path = FieldPath(field: "createdAt")
        let query = ObjectQuery(
            .consoleAudit,
            where: .field(path, .compares(.less, .date(moment))),
            order: [SortKey(path)],
            page: Page(first: 100)
        )
        try delete(try rows(query).map(\.id), in: .consoleAudit)
    }
}
