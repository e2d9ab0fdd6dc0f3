internal import Domain

/// Begins a generation of the continuous backup: the blobs that the repository lacks, the base, and the manifest last.
struct GenerationWriter {
    /// The storage folder.
    let storage: String
    let app: AppID
    let target: any BackupTarget
    let version: String
    let engine: any BackupEngine
    let capture: any ChangeCapture
    let maxWaiting: Int64

    /// A generation that is whole.
    struct Generation {
        let time: SnapshotTime
        /// The number of its last segment; 0 before the first one.
        var number = 0
        /// The digest that the next segment names.
        var digest: [UInt8]
        /// Files that are not in it, because their blobs are damaged or missing.
        let damaged: Int
    }

    private var source: String { "\(storage)/\(app)" }

    /// Writes the generation.
    ///
    /// - Parameters:
    ///   - scratch: The folder of the copy and of the segments after it.
    ///   - onBegin: Called before the capture of the last generation ends; until then it continues after an error.
    /// - Returns: The generation, which is whole.
    /// - Throws: ``ExitError``, ``OpenFailure`` or ``BackupTargetFailure``; there is no generation then.
    func run(in scratch: ScratchFolder, onBegin: () -> Void) throws -> Generation {
        let lock = try BackupLock(.backup, of: target)
        defer { lock.release() }
        let folder = try scratch.folder("base")
        let spool = try scratch.folder("segments")
        let base = "\(folder)/\(engine.databaseName)"
        onBegin()
        let time = SnapshotTime(try capture.begin(copyingTo: base, spool: spool, maxSize: maxWaiting))
        let manifest = try store(base, in: folder, list: "\(scratch.path)/files", lines: scratch.folder("lines"), time)
        guard let link = SegmentLink(base: manifest.database) else {
            throw ExitError.storage("the base of the continuous backup has no digest")
        }
        let name = BackupLayout(app).object(.manifest, ofGeneration: time)
        try lock.check()
        try target.put(name, bytes: manifest.encoded)
        do {
            // This process could have slept between the check and the call.
            try lock.check()
        } catch {
            try target.remove([name])
            throw error
        }
        try? StorageContents.removeFolder(folder)
        return Generation(time: time, digest: link.digest, damaged: manifest.damaged)
    }

    /// Stores everything except the manifest.
    private func store(
        _ base: String,
        in folder: String,
        list: String,
        lines: String,
        _ time: SnapshotTime
    ) throws -> BackupManifest {
        let layout = BackupLayout(app)
        let content = try BackupRepository.content(of: base)
        let database = try engine.openDatabase(in: folder)
        var damaged = 0
        let upload = BlobUpload(source: source, layout: layout, target: target, engine: engine)
        // Their records stay in the base, whose bytes the segments continue. A restore leaves out what no list names.
        let counts = try upload.run(database, listing: list, through: lines) { damaged += $0.count }
        try database.close()
        var manifest = BackupManifest(
            version: version,
            time: time.timestamp,
            apps: try StorageContents.apps(in: storage, with: engine),
            database: content,
            files: try BackupRepository.content(of: list),
            generatedApp: nil,
            fileCount: counts.files,
            byteCount: counts.bytes,
            damaged: damaged
        )
        try target.put(layout.object(.base, ofGeneration: time), fileAt: base)
        try target.put(layout.object(.files, ofGeneration: time), fileAt: list)
        let generatedApp = "\(storage)/\(StorageContents.generatedApp)"
        if StorageContents.exists(generatedApp) {
            manifest.generatedApp = try BackupRepository.content(of: generatedApp)
            try target.put(layout.object(.apps, ofGeneration: time), fileAt: generatedApp)
        }
        return manifest
    }
}
