package import Domain

/// Copies a backup into a storage folder that does not exist or is empty.
///
/// For commands: it blocks, on one thread per processor.
package struct StorageRestore {
    private let backup: String
    private let destination: RestoreDestination
    private let comparingDigests: Bool
    private let engine: any BackupEngine

    /// Creates a restore from a backup to a storage folder; the engine copies databases and blobs.
    ///
    /// Without a comparison of digests, only the size of each blob is checked.
    package init(of backup: String, to storage: String, comparingDigests: Bool, with engine: any BackupEngine) {
        self.engine = engine
        self.backup = StorageContents.trimmed(backup)
        destination = RestoreDestination(storage)
        self.comparingDigests = comparingDigests
    }

    /// Checks the whole backup, then copies it; on return everything is on the disk.
    ///
    /// - Throws: ``ExitError`` naming the defect of the backup or the storage folder.
    package func run() throws -> CopySummary {
        let lacking = try BackupDraft.checkFinished(backup)
        if let app = try StorageContents.damagedApps(in: backup, with: engine).first {
            throw ExitError.storage(
                "the backup \(backup) is incomplete: the database of app \(app) was damaged when it was written; "
                    + "repair \(backup)/\(app)/\(StorageContents.damagedName(of: engine.databaseName)) as "
                    + "\(engine.databaseName) beside it, "
                    + "or use another backup"
            )
        }
        if let app = try StorageContents.appsWithoutDatabase(in: backup, named: engine.databaseName).first {
            throw ExitError.storage(
                "the backup \(backup) is incomplete: the database \(backup)/\(app)/\(engine.databaseName) is missing or "
                    + "empty; use another backup"
            )
        }
        let apps = try StorageContents.apps(in: backup, with: engine)
        guard !apps.isEmpty else { throw ExitError.storage("the backup \(backup) contains no app") }
        try destination.refuseContents()
        for app in apps { try check("\(backup)/\(app)") }

        var summary = CopySummary()
        summary.lacking = lacking
        try destination.fill { draft in
            for app in apps {
                let copy = AppCopy(
                    engine: engine,
                    source: "\(backup)/\(app)",
                    target: "\(draft)/\(app)",
                    comparingDigests: comparingDigests
                )
                try copy.run(counting: &summary) { unfit, _, _ in try refuse(unfit[0]) }
                // It was intact when it was checked.
                if let damage = summary.firstDamagedDatabase { throw ExitError.storage("the database \(damage)") }
            }
            try StorageContents.copyGeneratedApp(from: backup, to: draft)
        }
        return summary
    }

    /// Checks that every record has its blob, and that the database's pages are intact.
    private func check(_ app: String) throws {
        try AppCopy.sayingWhere(app, "\(app)/\(engine.databaseName)") {
            let database = try engine.openDatabase(in: app)
            try database.forEachPage { files, broken in
                if let first = broken.first { try refuse(.record(first)) }
                let conditions = try engine.check(files, in: app, comparingDigests: comparingDigests)
                for (file, condition) in zip(files, conditions) where condition != .whole {
                    try refuse(.blob(of: file, condition))
                }
            }
            try database.close()
        }
    }

    private func refuse(_ unfit: AppCopy.Unfit) throws {
        throw ExitError.storage("the backup \(backup) is incomplete: \(unfit.description)")
    }
}
