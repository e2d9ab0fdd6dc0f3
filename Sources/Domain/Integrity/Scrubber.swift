package import Logging
internal import Synchronization

/// Reads everything of one app again and again, slowly, and records what is damaged (docs/check.md).
///
/// What is recorded is reported in each report until it is whole again: the log at each start, a metric always. The
/// bytes of a damaged blob are not served from the moment at which ``WriteTransaction`` records it.
package final class Scrubber: Sendable {
    /// What the scrubber of an app works with.
    package struct Parts: Sendable {
        let app: AppID
        let store: any ObjectStore
        let blobs: any BlobInspection
        let rows: any RowInspection
        let derivatives: (any DerivativeStore)?
        let journal: any ScrubJournal
        let suspects: Suspects
        let settings: ScrubSettings
        let logger: Logger?
        let onChange: @Sendable () -> Void

        /// - Parameters:
        ///   - app: The app, for the log.
        ///   - store: The app's objects.
        ///   - blobs: The app's blobs.
        ///   - rows: The checksums of the rows.
        ///   - derivatives: Images of files; those of a damaged file are removed, because they can show the damage.
        ///   - journal: Stores the position of the round.
        ///   - suspects: Files that showed damage while they were used.
        ///   - settings: The pace.
        ///   - logger: Logs what is damaged, at each start again, what becomes whole again, and rounds.
        ///   - onChange: Called after a file became damaged or whole again, and after the caches of records follow.
        package init(
            app: AppID,
            store: any ObjectStore,
            blobs: any BlobInspection,
            rows: any RowInspection,
            derivatives: (any DerivativeStore)?,
            journal: any ScrubJournal,
            suspects: Suspects,
            settings: ScrubSettings,
            logger: Logger? = nil,
            onChange: @escaping @Sendable () -> Void = {}
        ) {
            self.app = app
            self.store = store
            self.blobs = blobs
            self.rows = rows
            self.derivatives = derivatives
            self.journal = journal
            self.suspects = suspects
            self.settings = settings
            self.logger = logger
            self.onChange = onChange
        }
    }

    let parts: Parts
    let ids = ObjectIDGenerator()
    let progress = Mutex(ScrubProgress())

    /// Creates a scrubber; it does nothing before ``run(_:)``.
    package init(_ parts: Parts) {
        self.parts = parts
    }

    /// Works until the task is cancelled; call it once.
    ///
    /// - Parameters:
    ///   - leases: One server at a time reads all blobs; each looks at what showed damage on it.
    ///   - report: Called with the progress after each step, from several tasks.
    package func run(under leases: Leases, _ report: @escaping @Sendable (ScrubProgress) -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watch(report) }
            if parts.settings.days > 0 {
                group.addTask { await leases.holding(.scrub) { await self.runRounds(report) } }
            }
        }
    }

    /// Passes on the progress since the last report.
    func pass(to report: (ScrubProgress) -> Void) {
        let current = progress.withLock { progress in
            defer { (progress.blobs, progress.bytes) = (0, 0) }
            return progress
        }
        report(current)
    }

    /// Records the result of reading a blob.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - condition: The condition of its blob.
    ///   - isKnown: Whether the record said that the blob is damaged.
    /// - Throws: Errors of the store.
    func settle(_ file: FileEntry, _ condition: BlobCondition, isKnown: Bool) async throws {
        let detail: String
        switch condition {
        case .whole:
            guard isKnown else { return }
            let wasDamaged = try await parts.store.write { try $0.clearDamage(of: file.id) }
            if wasDamaged { log(.notice, "A damaged file is whole again and is served", file.id) }
            return parts.onChange()
        case .missing: detail = "is missing"
        case .damaged(let damage): detail = damage
        }
        let damage = KnownDamage(
            file,
            detail,
            identity: try await parts.blobs.identity(of: file),
            id: ids.next(),
            at: .now()
        )
        // A file that was deleted while it was read has no record any more, and is not damaged.
        let (isNew, isThere) = try await parts.store.write { writer in
            let isNew = try writer.note(damage, of: file)
            return (isNew, try writer.object(file.id, in: .file)?.isDamaged == true)
        }
        guard isThere, isNew else { return }
        report(file, detail)
        parts.onChange()
        try? await parts.derivatives?.remove(allOf: file.key.description)
    }

    /// Records a row that is damaged.
    func settle(_ row: DamagedRow, behind position: RowPosition?) async throws {
        let damage = KnownDamage(row, behind: position, id: ids.next(), at: .now())
        if try await parts.store.write({ try $0.note(damage) }) { report(row) }
    }

    /// Logs damage of a blob, by the file's id: the key allows access to the file.
    ///
    /// `/health` does not report it: one file must not take the whole server out of service.
    func report(_ file: FileEntry, _ detail: String) {
        log(.critical, "The blob of a file \(detail); the file is not served until it is whole", file.id)
    }

    func report(_ row: DamagedRow) {
        log(.critical, "The row of object \(row.id) of class \(row.className) \(row.damage)")
    }

    /// Counts what is known to be damaged.
    func count() async throws {
        let (blobs, rows) = try await parts.store.read { (try $0.countDamage(.blob), try $0.countDamage(.row)) }
        progress.withLock { ($0.damagedBlobs, $0.damagedRows) = (blobs, rows) }
    }

    func log(_ level: Logger.Level, _ message: String, _ file: ObjectID? = nil) {
        var metadata: Logger.Metadata = ["app": "\(parts.app)"]
        if let file { metadata["file"] = "\(file)" }
        parts.logger?.log(level: level, "\(message)", metadata: metadata)
    }
}
