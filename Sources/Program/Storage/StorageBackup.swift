package import Domain

/// Copies a storage folder to a new folder; a server can run on it.
///
/// For commands: it blocks, on one thread per processor.
package struct StorageBackup {
    private let storage: String
    private let destination: String
    private let engine: any BackupEngine

    /// Creates a backup of the storage folder to a folder that must not exist; the engine copies databases and blobs.
    package init(of storage: String, to destination: String, with engine: any BackupEngine) {
        self.engine = engine
        self.storage = StorageContents.trimmed(storage)
        self.destination = StorageContents.trimmed(destination)
    }

    /// Makes the backup; on return it is on the disk, complete except for the damage in the summary.
    ///
    /// - Throws: ``ExitError`` with the reason; all files of the backup are removed then.
    package func run() throws -> CopySummary {
        try StorageFolder.refuseUnfinishedRestore(in: storage)
        let apps = try StorageContents.apps(in: storage, with: engine)
        guard !apps.isEmpty else { throw try StorageBackup.nothing(in: storage, engine) }
        let draft = try BackupDraft(of: destination)
        var summary = CopySummary()
        do {
            for app in apps {
                let copy = AppCopy(
                    engine: engine,
                    source: "\(storage)/\(app)",
                    target: "\(draft.path)/\(app)",
                    comparingDigests: true
                )
                try copy.run(counting: &summary, onUnfit: StorageBackup.leaveOut)
            }
            try summary.noteLostDatabases(in: storage, with: engine)
            try StorageContents.copyGeneratedApp(from: storage, to: draft.path)
            try draft.finish(lacking: summary.damaged)
        } catch {
            draft.discard()
            throw error
        }
        return summary
    }

    /// The error of a storage folder without an app that can be backed up.
    static func nothing(in storage: String, _ engine: any BackupEngine) throws -> ExitError {
        let database = engine.databaseName
        guard let app = try StorageContents.appsWithoutDatabase(in: storage, named: database).first else {
            return ExitError.storage("the storage folder \(storage) contains no app to back up")
        }
        return ExitError.storage("the database \(storage)/\(app)/\(database) \(StorageContents.lostDatabaseAdvice)")
    }

    /// Removes records without a blob from the backup, and counts deleted and damaged files separately.
    static func leaveOut(
        _ unfit: [AppCopy.Unfit],
        of database: any CopiedDatabase,
        counting summary: inout CopySummary
    ) throws {
        var files: [FileEntry] = []
        var broken: [UnreadableRecord] = []
        for one in unfit {
            switch one {
            case .blob(let file, _):
                files.append(file)
                // A record is deleted before its blob: if the blob was deleted, the record does not exist any more.
                guard database.originalHas(file) else {
                    summary.deleted += 1
                    continue
                }
            case .record(let record):
                broken.append(record)
            }
            summary.damaged += 1
            summary.firstDamage = summary.firstDamage ?? one.description
        }
        // A damaged database stays unchanged, so that the operator can repair it.
        if database.damage == nil { try database.forget(files, broken) }
    }
}
