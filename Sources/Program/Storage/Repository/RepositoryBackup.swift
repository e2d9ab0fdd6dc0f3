package import Domain

/// The result of a backup to a repository.
package struct RepositorySummary: Sendable, Equatable {
    /// What the snapshots have.
    package var contents = CopySummary()
    /// The number of files whose bytes were not in the repository before.
    package var newFiles = 0
    /// The size of those files in bytes.
    package var newBytes: Int64 = 0
    /// Why locks of backups that ended stay in the repository; `nil` if none does.
    package var leftLocks: String?

    /// Creates an empty summary.
    package init() {}
}

/// Adds a snapshot of each app of a storage folder to a repository; a server can run on the folder.
///
/// For commands: it blocks, on several threads.
package struct RepositoryBackup {
    private let storage: String
    private let repository: BackupRepository
    private let version: String
    private let engine: any BackupEngine

    /// Creates a backup of a storage folder.
    ///
    /// - Parameters:
    ///   - storage: The folder.
    ///   - repository: Where the snapshots are stored.
    ///   - version: The version of lcfile, for the manifests.
    ///   - engine: Copies databases and transfers blobs.
    package init(of storage: String, to repository: BackupRepository, version: String, with engine: any BackupEngine) {
        self.storage = StorageContents.trimmed(storage)
        self.repository = repository
        self.version = version
        self.engine = engine
    }

    /// Makes the snapshots; on return they are durable, except those of apps with damaged databases.
    ///
    /// - Throws: ``ExitError`` with the reason. Snapshots of earlier apps can be complete then; objects without a
    ///   manifest are used by the next backup or removed by a retention.
    package func run() throws -> RepositorySummary {
        try StorageFolder.refuseUnfinishedRestore(in: storage)
        let apps = try StorageContents.apps(in: storage, with: engine)
        guard !apps.isEmpty else { throw try StorageBackup.nothing(in: storage, engine) }
        let allApps = try StorageContents.allApps(in: storage, with: engine)
        let lock = try BackupLock(.backup, of: repository.target)
        defer { lock.release() }
        var summary = RepositorySummary()
        // They exclude nothing any more, so the backup continues.
        do { try lock.removeExpired() } catch { summary.leftLocks = "\(error)" }
        let earliest = try repository.earliestSnapshotTime()
        for app in apps.compactMap({ AppID($0) }) {
            let snapshot = SnapshotWriter(
                source: "\(storage)/\(app)",
                generatedApp: "\(storage)/\(StorageContents.generatedApp)",
                apps: allApps,
                layout: BackupLayout(app),
                start: max(Timestamp.now(), earliest),
                target: repository.target,
                version: version,
                engine: engine
            )
            let original = StorageContents.databasePath(in: "\(storage)/\(app)", named: engine.databaseName)
            try AppCopy.sayingWhere("\(storage)/\(app)", original) {
                try snapshot.run(under: lock, counting: &summary)
            }
        }
        try summary.contents.noteLostDatabases(in: storage, with: engine)
        return summary
    }
}
