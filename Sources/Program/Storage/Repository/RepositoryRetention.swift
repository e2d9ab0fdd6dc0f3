package import Domain

/// The result of a retention.
package struct RetentionSummary: Sendable, Equatable {
    /// The snapshots that stay, or would stay, as app and time.
    package var kept: [String] = []
    /// The snapshots that were removed, or would be.
    package var removed: [String] = []
    /// The generations of continuous backups that stay, or would stay, as app and time.
    package var keptGenerations: [String] = []
    /// The generations that were removed, or would be.
    package var removedGenerations: [String] = []
    /// The number of blobs that no list names any more, and that were removed; not counted by a trial.
    package var blobs = 0
    /// The size of those blobs in bytes.
    package var bytes: Int64 = 0

    /// Creates an empty summary.
    package init() {}
}

/// Removes old snapshots and generations from a repository, and the blobs that nothing names any more.
///
/// The manifest of a snapshot or a generation goes first, then the rest of it, then blobs: a crash leaves objects
/// without a manifest, which the next retention removes. The lock excludes backups, which could rely on an older blob;
/// it is not held while lists and names of blobs are read, because that can take long (``BlobSweep``).
///
/// For commands: it blocks.
package struct RepositoryRetention {
    private let repository: BackupRepository
    private let rules: RetentionRules
    private let engine: any BackupEngine
    private let storage: String?
    private let patience: Int

    /// The age in seconds, by the clock of the target, before which no object without a manifest or list is removed.
    package static let grace: Int64 = 24 * 3600
    /// The maximum number of objects that are removed by one call.
    static let batch = 1000

    /// What stays of an app.
    fileprivate struct Selection {
        var kept: [Snapshot] = []
        var removed: [Snapshot] = []
        var keptGenerations: [Generation] = []
        var removedGenerations: [Generation] = []
    }

    /// Creates a retention with rules for each app.
    ///
    /// - Parameters:
    ///   - repository: The repository.
    ///   - rules: What stays.
    ///   - engine: Reads lists.
    ///   - storage: The storage folder, for temporary files; `nil` if there is none.
    ///   - patience: The seconds to wait for backups that run.
    package init(
        of repository: BackupRepository,
        _ rules: RetentionRules,
        with engine: any BackupEngine,
        besides storage: String? = nil,
        patience: Int = 60
    ) {
        self.repository = repository
        self.rules = rules
        self.engine = engine
        self.storage = storage
        self.patience = patience
    }

    /// Tells what ``run()`` would remove; removes nothing.
    ///
    /// - Throws: ``ExitError`` with the reason.
    package func trial() throws -> RetentionSummary {
        var summary = RetentionSummary()
        for app in try repository.apps() { summary.add(try select(of: app)) }
        return summary
    }

    /// Removes snapshots, generations and blobs.
    ///
    /// - Throws: ``ExitError`` with the reason; what is left is whole.
    package func run() throws -> RetentionSummary {
        var summary = RetentionSummary()
        for app in try repository.apps() {
            try BackupRepository.complaining { try clean(app, counting: &summary) }
        }
        return summary
    }

    private func select(of app: AppID) throws -> Selection {
        var selection = Selection()
        let snapshots = try repository.snapshots(of: app)
        let now = Timestamp.now()
        let times = rules.kept(of: snapshots.map { ($0.time.timestamp, $0.manifest.isComplete) })
            .union(try repository.snapshotsOutOfOrder(of: app, now: now))
        selection.kept = snapshots.filter { times.contains($0.time.timestamp) }
        selection.removed = snapshots.filter { !times.contains($0.time.timestamp) }
        let generations = try repository.generations(of: app)
        let begins = rules.kept(
            ofGenerations: try generations.map { ($0.time.timestamp, try repository.firstSegmentTime(of: $0)) },
            now: now
        )
        selection.keptGenerations = generations.filter { begins.contains($0.time.timestamp) }
        selection.removedGenerations = generations.filter { !begins.contains($0.time.timestamp) }
        return selection
    }

    private func clean(_ app: AppID, counting summary: inout RetentionSummary) throws {
        let layout = BackupLayout(app)
        let lock = try BackupLock(.retention, of: repository.target, patience: patience)
        let selection: Selection
        do {
            defer { lock.release() }
            selection = try select(of: app)
            summary.add(selection)
            for snapshot in selection.removed {
                try lock.check()
                try repository.target.remove([layout.object(.manifest, of: snapshot.time)])
                try repository.target.remove(
                    SnapshotPart.allCases.filter { $0 != .manifest }.map { layout.object($0, of: snapshot.time) }
                )
            }
            for (time, objects) in try repository.parts(of: app)
            where !selection.kept.contains(where: { $0.time == time }) && objects.allSatisfy({ isOld($0, lock) }) {
                try repository.target.remove(objects.map(\.name))
            }
            let generations = GenerationRemoval(repository: repository, layout: layout, lock: lock)
            for generation in selection.removedGenerations { try generations.remove(generation.time) }
            try generations.removeLeft(except: Set(selection.keptGenerations.map(\.time)))
        }
        let sweep = BlobSweep(
            repository: repository,
            layout: layout,
            engine: engine,
            storage: storage,
            patience: patience
        )
        let lists =
            selection.kept.map { (layout.object(.files, of: $0.time), $0.manifest.files) }
            + selection.keptGenerations.map { ($0.object(.files), $0.manifest.files) }
        try sweep.run(needing: Dictionary(lists) { first, _ in first }, since: lock.acquired, counting: &summary)
    }

    private func isOld(_ object: BackupObject, _ lock: BackupLock) -> Bool {
        lock.acquired - object.modified > RepositoryRetention.grace
    }
}

extension RetentionSummary {
    fileprivate mutating func add(_ selection: RepositoryRetention.Selection) {
        func names(_ snapshots: [Snapshot]) -> [String] { snapshots.map { "\($0.layout.app) \($0.time)" } }
        func names(_ generations: [Generation]) -> [String] { generations.map { "\($0.layout.app) \($0.time)" } }
        kept += names(selection.kept)
        removed += names(selection.removed)
        keptGenerations += names(selection.keptGenerations)
        removedGenerations += names(selection.removedGenerations)
    }
}
