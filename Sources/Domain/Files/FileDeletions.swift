package import Logging
internal import Synchronization

/// Removes the bytes of one app's deleted files: the worker of the deletion queue
/// (docs/storage-format.md#how-a-file-is-deleted).
///
/// The transaction that deletes a record writes a row; ``run(_:)`` removes the blob and the derivatives, and then the
/// row. The blob of a file in the trash moves there instead (docs/trash.md). So a kill or a failing disk delays a
/// removal and never loses it. Blobs are named by keys, and a key can be used again: both the worker and an upload that
/// creates a file under a chosen key hold a claim on the key, and no file is created under a key while its row exists.
/// With several servers, a claim is also a lock among them, because the worker of one removes what others have deleted.
package final class FileDeletions: Sendable {
    private struct State {
        /// The number of rows at the queue's front that were tried since the last restart of the pass and still exist.
        var passed = 0
        /// The number of rows that ``claiming(_:_:)`` removed and that are not reported yet.
        var freed = 0
        /// Whether a failure was logged since the queue was last empty.
        var isFailing = false
    }

    private let app: AppID
    private let store: any ObjectStore
    private let blobs: any BlobStore
    private let derivatives: (any DerivativeStore)?
    private let files: FileService
    private let backoff: Backoff
    private let logger: Logger?
    private let claims = Claims<FileKey>()
    private let signal = WakeSignal()
    private let damaged = PassedRows(of: .deletion)
    private let state = Mutex(State())
    private let deletedElsewhere: DeletedDerivatives?

    /// The number of rows that are read and removed at a time.
    package static let batchSize = 64

    /// - Parameters:
    ///   - app: The app, for the log.
    ///   - store: Contains the queue.
    ///   - blobs: The app's blobs.
    ///   - derivatives: The derivatives of the blobs, which are removed with them.
    ///   - files: Serves the files; removes cached data of deleted ones.
    ///   - backoff: The delays after which a failed removal is tried again.
    ///   - logger: Logs the first failure and the recovery from it.
    package init(
        app: AppID,
        store: any ObjectStore,
        blobs: any BlobStore,
        derivatives: (any DerivativeStore)? = nil,
        files: FileService,
        backoff: Backoff = Backoff(),
        logger: Logger? = nil
    ) {
        self.app = app
        self.store = store
        self.blobs = blobs
        self.derivatives = derivatives
        self.files = files
        self.backoff = backoff
        self.logger = logger
        let followed = store.isShared ? derivatives : nil
        deletedElsewhere = followed.map { DeletedDerivatives(in: $0, following: store.changes) }
        // The worker reads rows of earlier times and of other servers when it starts or wakes.
        store.changes.subscribe(to: [ChangeFilter(.deletion, [.created])]) { [signal] _ in signal.set() }
    }

    /// Removes the derivatives of files that any server deletes, until the task is cancelled; for every server, beside
    /// ``run(_:)``.
    ///
    /// Returns at once on a store that is not shared, where ``run(_:)`` removes them.
    package func followDeletions() async {
        await deletedElsewhere?.run()
    }

    /// Works through the queue, and through rows that are added later, until the task is cancelled; one call at a time, of
    /// all servers.
    ///
    /// - Parameter report: Called after each batch.
    package func run(_ report: @escaping @Sendable (DeletionProgress) -> Void) async {
        var backoff = backoff
        var retry: ContinuousClock.Instant?
        while !Task.isCancelled {
            if let due = retry, due <= .now {
                startOver()
                retry = nil
            }
            if await drain(report) {
                backoff.reset()
                retry = nil
            } else if retry == nil {
                retry = .now + backoff.next()
            }
            await signal.wait(until: retry)
        }
    }

    /// Makes the next ``drain(_:)`` try all rows, including those that failed before.
    package func startOver() {
        state.withLock { $0.passed = 0 }
    }

    /// Works through the rows that were not tried since ``startOver()``.
    ///
    /// Damaged rows stay, and their files' bytes; they are not counted.
    ///
    /// - Parameter report: Called after each batch.
    /// - Returns: Whether the queue is empty.
    package func drain(_ report: (DeletionProgress) -> Void = { _ in }) async -> Bool {
        do {
            while true {
                let passed = state.withLock(\.passed)
                let (rows, waiting) = try await passingDamage { condition in
                    try await store.read { reader in
                        let page = try Page(limit: FileDeletions.batchSize, skip: passed)
                        return (
                            try reader.pendingDeletions(page, where: condition),
                            try reader.count(condition, in: .deletion)
                        )
                    }
                }
                let freed = state.withLock { state in
                    defer { state.freed = 0 }
                    return state.freed
                }
                guard !rows.isEmpty else {
                    report(DeletionProgress(removed: freed, waiting: waiting))
                    guard waiting == 0 else { return false }
                    startOver()
                    noteRecovery()
                    return true
                }
                let failed = try await removeClaimed(rows)
                state.withLock { $0.passed += failed }
                let removed = rows.count - failed
                report(DeletionProgress(removed: removed + freed, failed: failed, waiting: waiting - removed))
            }
        } catch is CancellationError {
            return false
        } catch {
            note(error)
            return false
        }
    }

    /// Runs a body that reads the queue without its damaged rows, and logs those that are new.
    private func passingDamage<Result>(_ body: (Condition) async throws -> Result) async throws -> Result {
        let known = damaged.all
        let result = try await damaged.passing(in: store, body)
        for id in damaged.all.subtracting(known).sorted() {
            var metadata = metadata(of: nil)
            metadata["row"] = "\(id)"
            logger?.critical(
                "A row of the deletion queue is damaged; the bytes of its file are not removed",
                metadata: metadata
            )
        }
        return result
    }

    /// Runs a body that creates the file of a key, with a claim on the key and after the bytes of a deleted file are
    /// removed.
    ///
    /// - Throws: The error because of which the bytes of a deleted file remain; errors of the body.
    package func claiming<Result>(_ key: FileKey, _ body: () async throws -> Result) async throws -> Result {
        try await claiming(key, reading: { _ in }, body)
    }

    /// The same with a read that runs under the claim, before the bytes of a deleted file are removed.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - read: Runs on the state in which the deletions are read; its result is passed to the body.
    ///   - body: Creates the file.
    /// - Returns: The result of the body.
    /// - Throws: The error because of which the bytes of a deleted file remain; errors of the read and of the body.
    package func claiming<Known: Sendable, Result>(
        _ key: FileKey,
        reading read: @escaping @Sendable (any ReadTransaction) throws -> Known,
        _ body: (Known) async throws -> Result
    ) async throws -> Result {
        try await holding([key]) {
            let (rows, known) = try await store.read {
                (try $0.pendingDeletions(.all, where: PendingDeletion.has(key)), try read($0))
            }
            if !rows.isEmpty {
                let failures = try await remove(rows)
                state.withLock { $0.freed += rows.count - failures.count }
                startOver()
                signal.set()
                if let failure = failures.first { throw failure.error }
            }
            return try await body(known)
        }
    }

    /// Runs a body with claims on keys that are in order, on this server and among all.
    private func holding<Result>(_ keys: [FileKey], _ body: () async throws -> Result) async throws -> Result {
        try await claims.holding(all: keys) {
            guard let coordination = store.coordination else { return try await body() }
            return try await coordination.locking(keys.map(\.description), .app, body)
        }
    }

    /// Removes the files of a batch; returns the number of rows that stay because of a failure.
    private func removeClaimed(_ rows: [PendingDeletion]) async throws -> Int {
        let keys = Set(rows.compactMap(\.key)).sorted { $0.description < $1.description }
        let failures = try await holding(keys) {
            // The holder of an earlier claim can have removed some of them.
            let ids = Set(rows.map(\.id))
            // Another row can have the id of one by now, and its key is not claimed here.
            let left = try await store.read { try $0.pendingDeletions(ids) }
            return try await remove(left.filter { row in row.key.map(keys.contains) ?? true })
        }
        for failure in failures { note(failure.error, of: failure.row) }
        return failures.count
    }

    /// Removes or moves the bytes of files, and then deletes their rows; called with a claim on each key.
    ///
    /// - Returns: The rows that stay, with their errors.
    /// - Throws: Errors of the object store; all rows stay then.
    private func remove(_ rows: [PendingDeletion]) async throws -> [(row: PendingDeletion, error: any Error)] {
        let known = try await store.read { try FileDeletions.known(among: rows, $0) }
        let work = DeletionWork(rows, owners: known.owners, entries: known.entries, isShared: blobs.isShared)
        for row in work.wrong {
            // The bytes of an existing record stay, even if a row names them.
            logger?.critical("A row of the deletion queue is wrong and is dropped", metadata: metadata(of: row))
        }
        let keys = work.keys
        files.forget(keys)
        var errors = try await work.perform(on: blobs)
        for row in work.rows where errors[row.id] == nil {
            do {
                if let key = row.key { try await derivatives?.remove(allOf: key.description) }
            } catch {
                errors[row.id] = error
            }
        }
        // A download that read the record before the deletion can have opened the blob again since.
        files.forget(keys)
        let failed = Set(errors.keys)
        let done = rows.filter { !failed.contains($0.id) }.map(\.id)
        let moved = Set(work.moves.map(\.id)).subtracting(failed)
        try await store.write { writer in
            // An entry can have been removed while its bytes were moved: another row then removes them from the trash. It
            // has no key, because the next file of the key can be created as soon as this has returned.
            let entries = Set(try writer.rows(moved, in: .trash, readableBy: .unrestricted, upTo: .max).map(\.id))
            try writer.delete(done, in: .deletion)
            for id in moved.subtracting(entries) {
                try writer.insert(PendingDeletion.trashing(id, nil, at: .now()), into: .deletion)
            }
        }
        return rows.compactMap { row in errors[row.id].map { (row, $0) } }
    }

    /// The files of existing records under the rows' keys, and the existing entries of the trash among their ids.
    private static func known(
        among rows: [PendingDeletion],
        _ reader: any ReadTransaction
    ) throws -> (owners: [FileKey: ObjectID], entries: Set<ObjectID>) {
        var owners: [FileKey: ObjectID] = [:]
        for key in Set(rows.compactMap(\.key)) { owners[key] = try reader.fileID(of: key) }
        let ids = Set(rows.filter(\.isOfTrash).map(\.id))
        let entries = try reader.rows(ids, in: .trash, readableBy: .unrestricted, upTo: .max)
        return (owners, Set(entries.map(\.id)))
    }

    /// Logs the first failure since the queue was last empty.
    private func note(_ error: any Error, of row: PendingDeletion? = nil) {
        let isFirst = state.withLock { state in
            defer { state.isFailing = true }
            return !state.isFailing
        }
        guard isFirst else { return }
        var metadata = metadata(of: row)
        metadata["error"] = "\(error.logged)"
        logger?.error("The bytes of a deleted file cannot be removed; this is tried again", metadata: metadata)
    }

    private func noteRecovery() {
        let wasFailing = state.withLock { state in
            defer { state.isFailing = false }
            return state.isFailing
        }
        guard wasFailing else { return }
        logger?.notice("The bytes of all deleted files are removed", metadata: metadata(of: nil))
    }

    /// The row's metadata for the log: the file's id instead of its key, because the key allows access to the file.
    private func metadata(of row: PendingDeletion?) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["app": "\(app)"]
        if let row { metadata["file"] = "\(row.id)" }
        return metadata
    }
}
