internal import Domain

/// The result of a retention.
package struct RetentionSummary: Sendable, Equatable {
    /// The snapshots that stay, or would stay, as app and time.
    package var kept: [String] = []
    /// The snapshots that were removed, or would be.
    package var removed: [String] = []
    /// The number of blobs that no list names any more, and that were removed; not counted by a trial.
    package var blobs = 0
    /// The size of those blobs in bytes.
    package var bytes: Int64 = 0

    /// Creates an empty summary.
    package init() {}
}

/// Removes old snapshots from a repository, and the blobs that nothing names any more.
///
/// The manifest of a snapshot goes first, then the rest of it, then blobs: a crash leaves objects without a manifest,
/// which the next retention removes. A blob goes if no list of a snapshot or of the continuous backup names it and it
/// is older than a day: a blob is stored before the list that names it. The lock excludes backups, which could rely on
/// an older blob.
///
/// For commands: it blocks.
package struct RepositoryRetention {
    private let repository: BackupRepository
    private let rules: RetentionRules

    /// The age in seconds, by the clock of the target, before which no object without a manifest or list is removed.
    package static let grace: Int64 = 24 * 3600
    private static let batch = 1000

    /// Creates a retention with rules for each app.
    package init(of repository: BackupRepository, _ rules: RetentionRules) {
        self.repository = repository
        self.rules = rules
    }

    /// Tells what ``run()`` would remove; removes nothing.
    ///
    /// - Throws: ``ExitError`` with the reason.
    package func trial() throws -> RetentionSummary {
        var summary = RetentionSummary()
        for app in try repository.apps() { _ = try select(of: app, counting: &summary) }
        return summary
    }

    /// Removes snapshots and blobs.
    ///
    /// - Throws: ``ExitError`` with the reason; what is left is whole.
    package func run() throws -> RetentionSummary {
        let lock = try BackupLock(.retention, of: repository.target)
        defer { lock.release() }
        var summary = RetentionSummary()
        for app in try repository.apps() {
            try BackupRepository.complaining { try clean(app, under: lock, counting: &summary) }
        }
        return summary
    }

    /// The snapshots that stay and those that go.
    private func select(
        of app: AppID,
        counting summary: inout RetentionSummary
    ) throws -> (kept: [Snapshot], removed: [Snapshot]) {
        let snapshots = try repository.snapshots(of: app)
        let times = rules.kept(of: snapshots.map { ($0.time.timestamp, $0.manifest.damaged == 0) })
        let kept = snapshots.filter { times.contains($0.time.timestamp) }
        let removed = snapshots.filter { !times.contains($0.time.timestamp) }
        summary.kept += kept.map { "\(app) \($0.time)" }
        summary.removed += removed.map { "\(app) \($0.time)" }
        return (kept, removed)
    }

    private func clean(_ app: AppID, under lock: BackupLock, counting summary: inout RetentionSummary) throws {
        let layout = BackupLayout(app)
        let target = repository.target
        let (kept, removed) = try select(of: app, counting: &summary)
        for snapshot in removed {
            try lock.check()
            try target.remove([layout.object(.manifest, of: snapshot.time)])
            try target.remove(
                SnapshotPart.allCases.filter { $0 != .manifest }.map { layout.object($0, of: snapshot.time) }
            )
        }
        var lists = kept.map { layout.object(.files, of: $0.time) }
        for (time, objects) in try repository.parts(of: app) where !kept.contains(where: { $0.time == time }) {
            if objects.allSatisfy({ isOld($0, lock) }) {
                try target.remove(objects.map(\.name))
            } else {
                // A backup was interrupted a short time ago; its list is whole if it is there.
                lists += objects.map(\.name).filter { $0 == layout.object(.files, of: time) }
            }
        }
        try repository.forEachObject(layout.log) { if layout.isBlobList($0.name) { lists.append($0.name) } }
        try sweep(layout, namedIn: lists, under: lock, counting: &summary)
    }

    /// Removes old blobs that no list names.
    private func sweep(
        _ layout: BackupLayout,
        namedIn lists: [String],
        under lock: BackupLock,
        counting summary: inout RetentionSummary
    ) throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let named = LineBuckets(in: try scratch.folder("lines"))
        for (index, list) in lists.enumerated() {
            let path = "\(scratch.path)/list-\(index)"
            try repository.target.get(list, toFileAt: path)
            try FileBytes.forEachLine(of: path) { line in
                guard let blob = BackupBlob(line) else {
                    throw ExitError.storage("\(list) in \(repository.target) is damaged; no blob was removed")
                }
                try named.add(blob.description)
            }
            try StorageContents.remove(path)
        }
        var listing = BlobListing(of: layout, in: repository.target)
        var bucket = -1
        var names: Set<String> = []
        var batch: [BackupObject] = []
        while let object = try listing.next() {
            // What has another name was not stored by lcfile.
            guard let blob = BackupBlob(object.name), layout.object(blob) == object.name,
                let index = LineBuckets.bucket(of: blob.description)
            else { continue }
            if index != bucket {
                bucket = index
                names = Set(try named.lines(of: index))
            }
            guard !names.contains(blob.description), isOld(object, lock) else { continue }
            batch.append(object)
            if batch.count == RepositoryRetention.batch { try remove(&batch, under: lock, counting: &summary) }
        }
        try remove(&batch, under: lock, counting: &summary)
    }

    private func remove(
        _ batch: inout [BackupObject],
        under lock: BackupLock,
        counting summary: inout RetentionSummary
    ) throws {
        guard !batch.isEmpty else { return }
        try lock.check()
        try repository.target.remove(batch.map(\.name))
        summary.blobs += batch.count
        summary.bytes += batch.reduce(0) { $0 + $1.size }
        batch.removeAll()
    }

    private func isOld(_ object: BackupObject, _ lock: BackupLock) -> Bool {
        lock.acquired - object.modified > RepositoryRetention.grace
    }
}
