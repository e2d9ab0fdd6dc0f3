internal import Domain

/// Adds a snapshot of an app to a repository: the new blobs first, then its database, and its manifest last.
///
/// The database is copied before blobs are read, as in ``AppCopy``, so each record of the copy has its blob, unless the
/// file was deleted since.
struct SnapshotWriter {
    /// The app's folder.
    let source: String
    /// The path of the file of the generated app, which need not exist.
    let generatedApp: String
    /// The ids of all apps of the storage, also of those whose databases are damaged or gone.
    let apps: [String]
    let layout: BackupLayout
    /// The time of the snapshot, or the first that can be it.
    let start: Timestamp
    let target: any BackupTarget
    let version: String
    let engine: any BackupEngine

    /// Makes the snapshot, unless the database is damaged, which the summary tells.
    func run(under lock: BackupLock, counting summary: inout RepositorySummary) throws {
        let scratch = try ScratchFolder(forApp: source)
        defer { scratch.remove() }
        let folder = try scratch.folder("database")
        guard let database = try copyDatabase(to: folder, counting: &summary) else { return }
        var contents = CopySummary()
        let list = "\(scratch.path)/list"
        let upload = BlobUpload(source: source, layout: layout, target: target, engine: engine)
        let counts = try upload.run(database, listing: list, through: scratch.folder("lines")) { unfit in
            try StorageBackup.leaveOut(unfit, of: database, counting: &contents)
        }
        contents.files = counts.files
        contents.bytes = counts.bytes
        summary.newFiles += counts.newFiles
        summary.newBytes += counts.newBytes
        try contents.noteDamagedRows(of: database)
        try database.close()

        let path = "\(folder)/\(engine.databaseName)"
        let time = try freeTime()
        var manifest = BackupManifest(
            version: version,
            time: time.timestamp,
            apps: apps,
            database: try BackupRepository.content(of: path),
            files: try BackupRepository.content(of: list),
            generatedApp: nil,
            fileCount: contents.files,
            byteCount: contents.bytes,
            damaged: contents.damaged,
            damagedRows: contents.damagedRows
        )
        try target.put(layout.object(.files, of: time), fileAt: list)
        try target.put(layout.object(.database, of: time), fileAt: path)
        if StorageContents.exists(generatedApp) {
            manifest.generatedApp = try BackupRepository.content(of: generatedApp)
            try target.put(layout.object(.apps, of: time), fileAt: generatedApp)
        }
        try lock.check()
        let name = layout.object(.manifest, of: time)
        try target.put(name, bytes: manifest.encoded)
        do {
            // This process could have slept between the check and the call.
            try lock.check()
        } catch {
            try target.remove([name])
            throw error
        }
        contents.apps = 1
        summary.contents.add(contents)
    }

    /// The first time from ``start`` on whose name no other backup uses, which can run at the same time.
    private func freeTime() throws -> SnapshotTime {
        var time = SnapshotTime(start)
        while try !target.list(prefix: "\(layout.snapshots)\(time)/", after: nil, limit: 1).isEmpty {
            time = SnapshotTime(time.timestamp.adding(milliseconds: 1))
        }
        return time
    }

    private var original: String { StorageContents.databasePath(in: source, named: engine.databaseName) }

    /// Copies the database; `nil` if it is damaged, which the summary tells.
    private func copyDatabase(
        to folder: String,
        counting summary: inout RepositorySummary
    ) throws -> (any CopiedDatabase)? {
        // SQLite would treat the intact part of the log as the whole.
        if let damage = try engine.certainLogDamage(in: source) {
            summary.contents.noteDamage(of: original, damage.description)
            return nil
        }
        do {
            let database = try engine.copyDatabase(of: source, to: folder)
            guard let damage = database.damage else { return database }
            try database.close()
            summary.contents.noteDamage(of: original, damage)
            return nil
        } catch {
            guard error.isDamage else { throw error }
            summary.contents.noteDamage(of: original, error.message)
            return nil
        }
    }
}
