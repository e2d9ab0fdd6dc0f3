internal import Synchronization

/// The trash of one app: lists, restores and removes deleted files, and removes them when their time is over
/// (docs/trash.md).
package struct TrashService: Sendable {
    let store: any ObjectStore
    let blobs: any BlobStore
    let uploads: UploadService
    let settings: ObjectSettings
    private let signal = WakeSignal()
    private let damaged = PassedRows(of: .trash)

    /// The number of entries that one transaction removes.
    package static let batchSize = 200
    /// The maximum and the default number of entries of a page.
    package static let pageLimit = (most: 1000, default: 100)

    /// - Parameters:
    ///   - store: The app's objects.
    ///   - blobs: The app's blobs.
    ///   - uploads: Holds the claims under which files of known keys are created.
    ///   - settings: The rules' settings.
    package init(store: any ObjectStore, blobs: any BlobStore, uploads: UploadService, settings: ObjectSettings) {
        self.store = store
        self.blobs = blobs
        self.uploads = uploads
        self.settings = settings
        store.changes.subscribe(to: [ChangeFilter(.trash, [.created, .deleted])]) { [signal] _ in signal.set() }
    }

    /// The entries, the newest first, without those whose rows are damaged.
    ///
    /// - Parameters:
    ///   - reason: Only entries with this reason; `nil` for all.
    ///   - limit: The number of entries.
    ///   - cursor: The position after an earlier page.
    ///   - caller: The caller.
    /// - Returns: The entries, and the position after them; `nil` at the end.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; ``ServiceError/Code/badRequest`` for a wrong cursor.
    package func entries(
        because reason: TrashEntry.Reason?,
        limit: Int,
        cursor: String?,
        as caller: Caller
    ) async throws -> (entries: [TrashEntry], cursor: String?) {
        try caller.requireMasterKey()
        let key = SortKey(FieldPath(field: "createdAt"), descending: true)
        let condition = TrashService.condition(reason, before: nil)
        let scan = try Scan(of: .trash, where: condition, key: key, page: Page(first: limit), cursor: cursor)
        let objects = try await damaged.passing(in: store) { isIntact in
            try await store.read { reader in
                let onPage = Condition.all([scan.conditionOnPage, isIntact])
                return try reader.find(ObjectQuery(.trash, where: onPage, order: scan.order, page: scan.page))
            }
        }
        let next = objects.count < limit ? nil : try objects.last.map { try scan.cursor(after: $0, in: .trash) }
        return (try objects.map(TrashEntry.init(stored:)), next)
    }

    /// Removes an entry for good.
    ///
    /// - Parameters:
    ///   - id: The id of the entry, or of its file; of several entries of one file, the newest.
    ///   - caller: The caller.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; ``ServiceError/Code/objectNotFound``.
    package func remove(_ id: ObjectID, as caller: Caller) async throws {
        try caller.requireMasterKey()
        let now = settings.clock()
        try await store.write { writer in
            guard let entry = try writer.trashEntry(id) else { throw TrashEntry.missing }
            writer.caller = caller
            try writer.removeFromTrash([entry.id], at: now)
        }
    }

    /// Removes a batch of entries for good; called again until it returns 0.
    ///
    /// - Parameters:
    ///   - reason: Only entries with this reason; `nil` for all.
    ///   - end: Only files that were deleted before this time; `nil` for all.
    ///   - caller: The caller.
    /// - Returns: The number of removed entries, ``batchSize`` at most.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``.
    package func empty(
        because reason: TrashEntry.Reason?,
        before end: Timestamp?,
        as caller: Caller
    ) async throws -> Int {
        try caller.requireMasterKey()
        return try await removeBatch(TrashService.condition(reason, before: end), as: caller)
    }

    /// Removes the entries whose time is over; those whose rows are damaged stay.
    ///
    /// - Returns: The number of removed entries, and when the next one expires; `nil` if there is none.
    package func expire() async throws -> (removed: Int, next: Timestamp?) {
        let field = FieldPath(field: TrashEntry.Field.expiresAt)
        var removed = 0
        while true {
            let count = try await removeBatch(.field(field, .compares(.lessOrEqual, .date(settings.clock()))), as: nil)
            guard count > 0 else { break }
            removed += count
        }
        let next = try await damaged.passing(in: store) { isIntact in
            try await store.read { reader in
                try reader.find(ObjectQuery(.trash, where: isIntact, order: [SortKey(field)], page: .first)).first
            }
        }
        return (removed, next?.fields[TrashEntry.Field.expiresAt]?.dateValue)
    }

    /// Removes entries as their time is over, until the task is cancelled; one call at a time, of all servers.
    ///
    /// - Parameters:
    ///   - report: Called with the app's usage after each change of the trash, and the number of expired entries.
    ///   - note: Called with an error that is tried again, if it does not follow another.
    package func run(
        _ report: @escaping @Sendable (Usage, _ expired: Int) -> Void,
        failing note: @escaping @Sendable (any Error) -> Void
    ) async {
        var backoff = Backoff()
        var isFailing = false
        while !Task.isCancelled {
            // A change of the system's clock is noticed after an hour at most.
            var pause = Duration.seconds(3600)
            do {
                let (removed, next) = try await expire()
                report(try await store.read { try $0.usage() }, removed)
                if let next {
                    pause = min(pause, .milliseconds(max(0, next.milliseconds - settings.clock().milliseconds)))
                }
                backoff.reset()
                isFailing = false
            } catch {
                if !isFailing, !Task.isCancelled { note(error) }
                isFailing = true
                pause = backoff.next()
            }
            await signal.wait(until: .now + pause)
        }
    }

    private func removeBatch(_ condition: Condition, as caller: Caller?) async throws -> Int {
        let now = settings.clock()
        return try await damaged.passing(in: store) { isIntact in
            try await store.write { writer in
                writer.caller = caller
                let page = Page(first: TrashService.batchSize)
                let isRemoved = Condition.all([condition, isIntact])
                let rows = try writer.rows(ObjectQuery(.trash, where: isRemoved, page: page))
                return try writer.removeFromTrash(rows.map(\.id), at: now)
            }
        }
    }

    private static func condition(_ reason: TrashEntry.Reason?, before end: Timestamp?) -> Condition {
        var parts: [Condition] = []
        if let reason {
            parts.append(.field(FieldPath(field: TrashEntry.Field.reason), .equals(.string(reason.rawValue))))
        }
        if let end { parts.append(.field(FieldPath(field: "createdAt"), .compares(.less, .date(end)))) }
        return .all(parts)
    }
}

extension ReadTransaction {
    /// An entry of the trash by its id, or the newest one of a file by the file's id.
    package func trashEntry(_ id: ObjectID) throws -> TrashEntry? {
        if let object = try object(id, in: .trash) { return try TrashEntry(stored: object) }
        let isOfFile = Condition.field(FieldPath(field: TrashEntry.Field.file), .equals(.string(id.description)))
        return try find(ObjectQuery(.trash, where: isOfFile, page: .all)).last.map(TrashEntry.init(stored:))
    }
}
