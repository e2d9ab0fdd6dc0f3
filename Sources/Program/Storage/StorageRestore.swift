package import Domain

/// Copies a backup into a storage folder that does not exist or is empty.
///
/// For commands: it blocks, on one thread per processor.
package struct StorageRestore {
    private let backup: String
    private let storage: String
    private let comparingDigests: Bool
    private let engine: any BackupEngine

    /// Names that an empty folder can contain; the last is that of every new ext4 file system.
    private static let ignored: Set<String> = [".lock", StorageFolder.restoreDraft, "lost+found"]

    /// Creates a restore from a backup to a storage folder; the engine copies databases and blobs.
    ///
    /// Without a comparison of digests, only the size of each blob is checked.
    package init(of backup: String, to storage: String, comparingDigests: Bool, with engine: any BackupEngine) {
        self.engine = engine
        self.backup = StorageContents.trimmed(backup)
        self.storage = StorageContents.trimmed(storage)
        self.comparingDigests = comparingDigests
    }

    /// Checks the whole backup, then copies it; on return everything is on the disk.
    ///
    /// - Throws: ``ExitError`` naming the defect of the backup or the storage folder.
    package func run() throws -> CopySummary {
        try BackupDraft.checkFinished(backup)
        if let app = try StorageContents.damagedApps(in: backup, with: engine).first {
            throw ExitError.storage(
                "the backup \(backup) is incomplete: the database of app \(app) was damaged when it was written; "
                    + "repair \(backup)/\(app)/\(StorageContents.damagedName(of: engine.databaseName)) as "
                    + "\(engine.databaseName) beside it, "
                    + "or use another backup"
            )
        }
        let apps = try StorageContents.apps(in: backup, with: engine)
        guard !apps.isEmpty else { throw ExitError.storage("the backup \(backup) contains no app") }
        try refuseContents()
        for app in apps { try check("\(backup)/\(app)") }

        let folder = try StorageFolder(path: storage)
        try refuseContents()
        let draft = "\(storage)/\(StorageFolder.restoreDraft)"
        if StorageContents.exists(draft) { try StorageContents.removeFolder(draft) }
        try StorageContents.makeFolder(draft)
        try folder.synchronize()
        var summary = CopySummary()
        do {
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
            try StorageContents.synchronize(draft)
        } catch {
            try? StorageContents.removeFolder(draft)
            throw error
        }
        // A later failure leaves the draft's folder, so that no server uses an incomplete storage.
        for name in try StorageContents.names(in: draft) {
            try StorageContents.rename("\(draft)/\(name)", to: "\(storage)/\(name)")
        }
        try folder.synchronize()
        try StorageContents.removeFolder(draft)
        try folder.synchronize()
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

    private func refuseContents() throws {
        guard StorageContents.exists(storage) else {
            // Checked before the backup is read, which can take hours.
            guard StorageContents.exists(StorageContents.parent(of: storage)) else {
                throw ExitError.storage("the storage folder \(storage) cannot be created: its parent does not exist")
            }
            return
        }
        let names = Set(try StorageContents.names(in: storage))
        guard names.isSubset(of: StorageRestore.ignored) else {
            let reason =
                names.contains(StorageFolder.restoreDraft)
                ? "contains a restore that was interrupted at its end; remove its contents first"
                : "is not empty; a backup is restored into a new folder or an empty one"
            throw ExitError.storage("the storage folder \(storage) \(reason)")
        }
    }
}
