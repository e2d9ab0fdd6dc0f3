internal import Domain

/// Adds a snapshot of an app to a repository: the new blobs first, then its database, and its manifest last.
///
/// The database is copied before blobs are read, as in ``AppCopy``, so each record of the copy has its blob, unless the
/// file was deleted since. Whether the repository has a blob is decided by its listing, with the size. So a backup that
/// was interrupted continues where it ended, and an object that was lost is stored again.
struct SnapshotWriter {
    /// The app's folder.
    let source: String
    /// The path of the file of the generated app, which need not exist.
    let generatedApp: String
    /// The ids of all apps of the storage.
    let apps: [String]
    let layout: BackupLayout
    let target: any BackupTarget
    let version: String
    let engine: any BackupEngine

    /// The number of files that are handled at a time; enough that few threads wait for the last of them.
    private static let pageSize = 1024

    /// Makes the snapshot, unless the database is damaged, which the summary tells.
    func run(under lock: BackupLock, counting summary: inout RepositorySummary) throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let folder = try scratch.folder("database")
        let time = SnapshotTime(.now())
        guard let database = try copyDatabase(to: folder, counting: &summary) else { return }
        var contents = CopySummary()
        let list = "\(scratch.path)/list"
        try storeBlobs(of: database, listing: list, through: scratch.folder("lines"), &contents, &summary)
        try database.close()

        let path = "\(folder)/\(engine.databaseName)"
        var manifest = BackupManifest(
            version: version,
            time: time.timestamp,
            apps: apps,
            database: try BackupRepository.content(of: path),
            files: try BackupRepository.content(of: list),
            generatedApp: nil,
            fileCount: contents.files,
            byteCount: contents.bytes,
            damaged: contents.damaged
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

    /// Copies the database; `nil` if it is damaged, which the summary tells.
    private func copyDatabase(
        to folder: String,
        counting summary: inout RepositorySummary
    ) throws -> (any CopiedDatabase)? {
        do {
            let database = try engine.copyDatabase(of: source, to: folder)
            guard let damage = database.damage else { return database }
            try database.close()
            summary.contents.noteDamage(of: "\(source)/\(engine.databaseName)", damage)
            return nil
        } catch {
            guard error.isDamage else { throw error }
            summary.contents.noteDamage(of: "\(source)/\(engine.databaseName)", error.message)
            return nil
        }
    }

    /// Stores the blobs of a database that the repository lacks, and lists all of them; removes the records of others.
    private func storeBlobs(
        of database: any CopiedDatabase,
        listing path: String,
        through folder: String,
        _ contents: inout CopySummary,
        _ summary: inout RepositorySummary
    ) throws {
        let buckets = LineBuckets(in: folder)
        try buckets.add(filesOf: database) { broken in
            try StorageBackup.leaveOut(broken.map(AppCopy.Unfit.record), of: database, counting: &contents)
        }
        var list = try LineWriter(path)
        var listing = BlobListing(of: layout, in: target)
        for bucket in LineBuckets.indices {
            var rest = try buckets.files(of: bucket)[...]
            while !rest.isEmpty {
                let files = Array(rest.prefix(SnapshotWriter.pageSize))
                rest = rest.dropFirst(files.count)
                let missing = try files.filter { try listing.size(of: layout.object(of: $0)) != $0.facts.size }
                let conditions = try engine.upload(missing, in: source, to: target, layout: layout)
                var unfit: [ObjectID: BlobCondition] = [:]
                for (file, condition) in zip(missing, conditions) {
                    if condition != .whole { unfit[file.id] = condition }
                    guard condition == .whole else { continue }
                    summary.newFiles += 1
                    summary.newBytes += file.facts.size
                }
                for file in files where unfit[file.id] == nil {
                    try list.write(BackupBlob(of: file).description)
                    contents.files += 1
                    contents.bytes += file.facts.size
                }
                let damage = files.compactMap { file in unfit[file.id].map { AppCopy.Unfit.blob(of: file, $0) } }
                if !damage.isEmpty { try StorageBackup.leaveOut(damage, of: database, counting: &contents) }
            }
        }
        try list.flush()
    }
}
