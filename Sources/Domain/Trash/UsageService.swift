/// Tells how much space the files of one app use, and which files use it (docs/http-api.md).
package struct UsageService: Sendable {
    private let store: any ObjectStore
    /// The maximum size of the app's files in bytes; `nil` without a quota.
    package let quota: Int64?
    /// How long files stay in the trash.
    package let trash: TrashSettings

    /// The number of files that one read returns.
    package static let pageSize = 1000
    /// The number of groups after which a call ends: names of media types come from clients.
    private static let maxGroups = 1000
    /// The time after which a call ends.
    private static let callTime = Duration.seconds(2)

    /// Creates the service from those that hold the app's store and its settings.
    package init(uploads: UploadService, trash: TrashService) {
        store = trash.store
        quota = uploads.limits.quota
        self.trash = trash.settings.trash
    }

    /// The files of one media type that were created in one month.
    package struct Group: Hashable, Sendable {
        /// The media type without parameters.
        package let mediaType: String
        /// The month of the creation in UTC: `2026-11`.
        package let month: String
    }

    /// The usage of the app's files.
    ///
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; errors of the store.
    package func total(as caller: Caller) async throws -> Usage {
        try caller.requireMasterKey()
        return try await store.read { try $0.usage() }
    }

    /// The usage of some files by type and month: the next ones in the order of their ids.
    ///
    /// A call reads for two seconds, and a page more at most. The caller adds the groups of all calls. Files that are
    /// created or deleted between two calls can be missing or counted.
    ///
    /// - Parameters:
    ///   - last: The position after an earlier call.
    ///   - caller: The caller.
    /// - Returns: The groups, and the position after them; `nil` at the end. Files on other servers and files whose
    ///   bytes are missing use no space and are in no group.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; errors of the store.
    package func groups(
        after last: ObjectID?,
        as caller: Caller
    ) async throws -> (groups: [Group: Usage], cursor: ObjectID?) {
        try caller.requireMasterKey()
        let end = ContinuousClock.now + UsageService.callTime
        var groups: [Group: Usage] = [:]
        var last = last
        repeat {
            let page = try await store.read { [last] reader in
                let objects = try reader.find(UsageService.page(after: last))
                return (files: objects.compactMap(UsageService.counted), end: objects.last?.id, read: objects.count)
            }
            for (group, usage) in page.files { groups[group] = (groups[group] ?? Usage()) + usage }
            guard page.read == UsageService.pageSize else { return (groups, nil) }
            last = page.end
        } while ContinuousClock.now < end && groups.count < UsageService.maxGroups
        return (groups, last)
    }

    private static func counted(_ record: StoredObject) -> (Group, Usage)? {
        guard let file = StoredFile(record) else { return nil }
        let type = record.fields["mime_type"]?.stringValue ?? "application/octet-stream"
        let group = Group(
            mediaType: String(type.prefix { $0 != ";" }),
            month: String(record.createdAt.iso8601.prefix(7))
        )
        return (group, Usage.file(file.size))
    }

    private static func page(after last: ObjectID?) -> ObjectQuery {
        let id = FieldPath(field: "objectId")
        let condition = last.map { Condition.field(id, .compares(.greater, .string($0.description))) } ?? .always
        return ObjectQuery(.file, where: condition, order: [SortKey(id)], page: Page(first: pageSize))
    }
}
