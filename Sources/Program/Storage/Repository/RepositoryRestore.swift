package import Domain

/// Copies the snapshots of a moment into a storage folder that does not exist or is empty.
///
/// For commands: it blocks, on several threads.
package struct RepositoryRestore {
    private let repository: BackupRepository
    private let destination: RestoreDestination
    private let moment: Timestamp?
    private let comparingDigests: Bool
    private let leavingOutDamage: Bool
    private let engine: any BackupEngine

    /// Names in the draft of the storage that no app has, because they begin with a dot.
    private static let fetched = ".fetched"

    /// Creates a restore.
    ///
    /// - Parameters:
    ///   - repository: The repository.
    ///   - storage: The storage folder.
    ///   - moment: The newest state at or before this time in ISO 8601 is restored; `nil` for the newest.
    ///   - comparingDigests: Whether the bytes of files are compared with their digests, or only the sizes.
    ///   - leavingOutDamage: Whether files whose blobs are missing or damaged, and apps without a snapshot, are left
    ///     out, or end the restore.
    ///   - engine: Copies databases and blobs.
    package init(
        of repository: BackupRepository,
        to storage: String,
        at moment: String?,
        comparingDigests: Bool,
        leavingOutDamage: Bool,
        with engine: any BackupEngine
    ) {
        self.repository = repository
        destination = RestoreDestination(storage)
        self.moment = moment.flatMap { Timestamp(iso8601: $0) }
        self.comparingDigests = comparingDigests
        self.leavingOutDamage = leavingOutDamage
        self.engine = engine
    }

    /// Copies and checks everything; on return it is on the disk.
    ///
    /// - Returns: What was restored, and the snapshots of which, as app and time.
    /// - Throws: ``ExitError`` naming the defect of the backup or the storage folder; nothing is restored then.
    package func run() throws -> (summary: CopySummary, snapshots: [String]) {
        try destination.refuseContents()
        let point = try RestorePoint(at: moment, in: repository)
        if let app = point.missing.first, !leavingOutDamage {
            throw ExitError.storage(
                "\(repository.target) has no snapshot of app \(app); --leave-out-damaged restores the other apps"
            )
        }
        var summary = CopySummary()
        try destination.fill { draft in
            for snapshot in point.snapshots { try restore(snapshot, to: draft, counting: &summary) }
            try restoreGeneratedApp(of: point, to: draft)
        }
        return (summary, point.snapshots.map { "\($0.layout.app) \($0.time)" })
    }

    private func restore(_ snapshot: Snapshot, to draft: String, counting summary: inout CopySummary) throws {
        let app = snapshot.layout.app.description
        let folder = "\(draft)/\(RepositoryRestore.fetched)"
        try StorageContents.makeFolder(folder)
        let database = "\(folder)/\(engine.databaseName)"
        if let defect = try repository.get(.database, of: snapshot, as: snapshot.manifest.database, to: database) {
            throw ExitError.storage("the backup \(app) \(snapshot.time) cannot be restored: its database \(defect)")
        }
        let copy = AppCopy(
            engine: engine,
            source: folder,
            target: "\(draft)/\(app)",
            comparingDigests: comparingDigests,
            repository: (repository.target, snapshot.layout)
        )
        try copy.run(counting: &summary) { unfit, database, summary in
            guard leavingOutDamage else {
                throw ExitError.storage(
                    "the backup \(app) \(snapshot.time) is incomplete: \(unfit[0].description); "
                        + "--leave-out-damaged restores the other files"
                )
            }
            try StorageBackup.leaveOut(unfit, of: database, counting: &summary)
        }
        if let damage = summary.firstDamagedDatabase { throw ExitError.storage("the database \(damage)") }
        try StorageContents.removeFolder(folder)
    }

    /// Restores the keys of the generated app from the newest snapshot that has them.
    private func restoreGeneratedApp(of point: RestorePoint, to draft: String) throws {
        let snapshots = point.snapshots.sorted { $0.time < $1.time }
        guard let snapshot = snapshots.last(where: { $0.manifest.generatedApp != nil }),
            let content = snapshot.manifest.generatedApp
        else { return }
        let path = "\(draft)/\(StorageContents.generatedApp)"
        if let defect = try repository.get(.apps, of: snapshot, as: content, to: path) {
            throw ExitError.storage("\(StorageContents.generatedApp) of the backup \(snapshot.time) \(defect)")
        }
    }
}
