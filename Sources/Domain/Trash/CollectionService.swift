internal import Synchronization

/// Finds the files of one app that no object refers to, and moves them to the trash (docs/trash.md).
///
/// A client drives a collection by calls of bounded length: it begins one, repeats the scan until all objects were
/// read, and lists or collects the files page by page. One collection exists at a time.
package final class CollectionService: Sendable {
    let store: any ObjectStore
    let trash: TrashService
    private let fileDomains: [String]
    private let styleSeparator: Character
    private let current = Mutex<(collection: FileCollection, subscription: ChangeSubscription)?>(nil)
    /// One call at a time reads the next page.
    private let scans = Claims<ObjectID>()

    /// The number of objects and of files that one read returns.
    package static let pageSize = 500
    /// The maximum bytes of objects that one read returns.
    static let pageBytes = 4 << 20
    /// The time that one call works.
    private static let callTime = Duration.seconds(2)
    /// The time without a call after which a collection ends.
    private static let idleTime = Duration.seconds(600)
    /// The shortest time for which a file can be unused: clients attach a file after its upload.
    package static let minUnusedTime = 3600

    /// - Parameters:
    ///   - store: The app's objects.
    ///   - trash: Where files go.
    ///   - fileDomains: The beginnings of the app's file URLs.
    ///   - styleSeparator: What separates a key from the name of an image style in URLs.
    package init(store: any ObjectStore, trash: TrashService, fileDomains: [String], styleSeparator: Character) {
        self.store = store
        self.trash = trash
        self.fileDomains = fileDomains
        self.styleSeparator = styleSeparator
    }

    /// Begins a collection; an earlier one ends.
    ///
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; ``ServiceError/Code/badRequest`` for a time that is too short.
    package func begin(_ order: FileCollection.Order, as caller: Caller) async throws -> FileCollection {
        try caller.requireMasterKey()
        guard order.unusedFor >= CollectionService.minUnusedTime else {
            throw ServiceError(
                .badRequest,
                "unusedFor must be at least \(CollectionService.minUnusedTime) seconds, "
                    + "because clients attach files to objects some time after the upload."
            )
        }
        var order = order
        order.rules.fileDomains = fileDomains
        order.rules.styleSeparator = styleSeparator
        let rules = order.rules
        let files = try await store.read { try $0.count(.always, in: .file) }
        let collection = FileCollection(id: trash.settings.ids.next(), order: order, files: files)
        let subscription = store.changes.subscribe(
            to: [ChangeFilter(nil, [.created, .updated], states: .after)],
            collection.follow
        )
        current.withLock { current in
            current?.subscription.cancel()
            current = (collection, subscription)
        }
        // What a transaction changed that ran when the subscription began is visible after a transaction that began
        // later. A change that is reported as missed from then on would be lost.
        try await store.write { _ in }
        let (classes, total) = try await store.read { reader in
            let classes = try reader.schemas().map(\.name).filter(rules.counts)
            return (classes, try classes.reduce(0) { try $0 + reader.count(.always, in: $1) })
        }
        collection.begin(with: classes, total: total)
        return collection
    }

    /// Reads further objects, for two seconds at most.
    ///
    /// - Returns: How far the scan is.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; ``ServiceError/Code/objectNotFound``; errors of the store.
    package func scan(_ id: ObjectID, as caller: Caller) async throws -> FileCollection.Progress {
        let collection = try collection(id, as: caller)
        let end = ContinuousClock.now + CollectionService.callTime
        return try await scans.holding(id) {
            while ContinuousClock.now < end, let (name, last) = collection.next() {
                let objects = try await store.read { reader in
                    try reader.find(CollectionService.page(of: name, after: last))
                }
                collection.take(objects, of: name)
            }
            return collection.progress
        }
    }

    /// A page of the files that can be collected, in the order of their ids.
    ///
    /// - Parameters:
    ///   - id: The collection.
    ///   - cursor: The position after an earlier page.
    ///   - caller: The caller.
    /// - Returns: The records, and the position after them; `nil` at the end. A page can be empty before the end.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; ``ServiceError/Code/objectNotFound``;
    ///   ``ServiceError/Code/conflict`` before the scan is complete.
    package func files(
        of id: ObjectID,
        after cursor: ObjectID?,
        as caller: Caller
    ) async throws -> (records: [StoredObject], cursor: ObjectID?) {
        let collection = try collection(id, as: caller)
        try collection.requireComplete()
        return try await unused(collection, after: cursor)
    }

    /// Moves a page of files to the trash.
    ///
    /// - Parameters:
    ///   - id: The collection.
    ///   - cursor: The position after an earlier page.
    ///   - caller: The caller.
    /// - Returns: The records of the files that are in the trash now, the number of files to which an object began to
    ///   refer meanwhile, and the position after the page; `nil` at the end.
    /// - Throws: As ``files(of:after:as:)``; ``ServiceError/Code/storageFull``.
    package func collect(
        _ id: ObjectID,
        after cursor: ObjectID?,
        as caller: Caller
    ) async throws -> (records: [StoredObject], saved: Int, cursor: ObjectID?) {
        let collection = try collection(id, as: caller)
        try collection.requireComplete()
        let (found, next) = try await unused(collection, after: cursor)
        guard !found.isEmpty else { return ([], 0, next) }
        let entries = try await store.write { [settings = trash.settings] writer in
            writer.caller = caller
            // On a shared store the beginning of a transaction can bring to light that changes were lost.
            try collection.requireComplete()
            // Changes of records and relations are visible here. Those of objects in this group of commits are not
            // reported yet; they are looked at below.
            let rows = try writer.rows(Set(found.map(\.id)), in: .file, readableBy: .unrestricted, upTo: .max)
            let records = try CollectionService.unused(try rows.map { try $0.object() }, collection, settings, writer)
            guard !records.isEmpty else { return [TrashEntry]() }
            try writer.delete(records.map(\.id), in: .file)
            if settings.hasMirror {
                try writer.markGone(records.compactMap(\.fileKey), at: settings.clock(), ids: settings.ids)
            }
            return try writer.moveToTrash(
                records,
                for: settings.trash.keepCollected,
                because: .collected,
                by: caller,
                at: settings.clock(),
                ids: settings.ids
            )
        }
        // Every change that was committed before, or together with, the deletion is reported by now.
        var kept: [StoredObject] = []
        var failure: (any Error)?
        for entry in entries {
            if collection.isUnused(entry.record) {
                kept.append(entry.record)
            } else {
                do { try await trash.restore(entry, as: caller) } catch { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
        return (kept, found.count - kept.count, next)
    }

    /// Ends a collection and frees its memory; a missing one is not an error.
    package func end(_ id: ObjectID, as caller: Caller) throws {
        try caller.requireMasterKey()
        end { $0.id == id }
    }

    /// Ends a collection for which there was no call in the last ten minutes.
    package func endIdle() {
        end { $0.idleTime > CollectionService.idleTime }
    }

    private func end(_ isToEnd: (FileCollection) -> Bool) {
        current.withLock { state in
            guard let (collection, subscription) = state, isToEnd(collection) else { return }
            subscription.cancel()
            state = nil
        }
    }

    private func collection(_ id: ObjectID, as caller: Caller) throws -> FileCollection {
        try caller.requireMasterKey()
        guard let collection = current.withLock({ $0?.collection }), collection.id == id else {
            throw ServiceError(
                .objectNotFound,
                store.isShared
                    ? "This server has no such collection. It ended, another one began, the server was restarted, or "
                        + "another server began it: send all requests of a collection to one server."
                    : "There is no such collection; it ended, another one began, or the server was restarted. Begin a "
                        + "new one."
            )
        }
        return collection
    }

    /// Reads files until some are found that can be collected, for two seconds at most.
    private func unused(
        _ collection: FileCollection,
        after cursor: ObjectID?
    ) async throws -> (records: [StoredObject], cursor: ObjectID?) {
        let end = ContinuousClock.now + CollectionService.callTime
        var cursor = cursor
        repeat {
            let (page, found) = try await store.read { [cursor, settings = trash.settings] reader in
                let page = try reader.find(CollectionService.page(of: .file, after: cursor))
                return (page, try CollectionService.unused(page, collection, settings, reader))
            }
            cursor = page.last?.id
            if !found.isEmpty || cursor == nil { return (found, cursor) }
        } while ContinuousClock.now < end
        return ([], cursor)
    }

    /// Those of some files that have bytes, are old enough, and to which nothing refers.
    private static func unused(
        _ files: [StoredObject],
        _ collection: FileCollection,
        _ settings: ObjectSettings,
        _ reader: any ReadTransaction
    ) throws -> [StoredObject] {
        let end = settings.clock().adding(seconds: -collection.order.unusedFor)
        let placeholder = settings.files.policy.settings.blockedImage
        let found = files.filter { record in
            StoredFile(record) != nil && max(record.createdAt, record.updatedAt) < end && record.id != placeholder
                && collection.isUnused(record)
        }
        let related = try reader.membersOfRelations(among: Set(found.map(\.id)), in: .file)
        return found.filter { !related.contains($0.id) }
    }

    /// The objects of a class after one of them, in the order of their ids, which have an index.
    private static func page(of name: ClassName, after last: ObjectID?) -> ObjectQuery {
        let id = FieldPath(field: "objectId")
        let condition = last.map { Condition.field(id, .compares(.greater, .string($0.description))) } ?? .always
        return ObjectQuery(
            name,
            where: condition,
            order: [SortKey(id)],
            page: Page(first: pageSize),
            replySize: pageBytes
        )
    }
}
