internal import Domain

/// Begins a generation of the continuous backup: the blobs that the repository lacks, the base, the changes meanwhile,
/// and the manifest last.
struct GenerationWriter {
    /// The storage folder.
    let storage: String
    let app: AppID
    let repository: BackupRepository
    let version: String
    let engine: any BackupEngine
    /// Captures the changes since the base; it has not begun.
    let capture: any ChangeCapture
    let maxWaiting: Int64

    /// The segments before the manifest, at most.
    private static let maxRounds = 10
    /// A segment that is stored in this time leaves little behind it.
    private static let shortRound = Duration.seconds(1)
    /// The bytes that stay free beside the base.
    private static let reserve: Int64 = 64 << 20

    private var target: any BackupTarget { repository.target }
    private var source: String { "\(storage)/\(app)" }

    /// Writes the generation.
    ///
    /// - Parameters:
    ///   - scratch: The folder of the copy and of the segments after it.
    ///   - onBegin: Called before anything is stored.
    ///   - onManifest: Called before the manifest is stored: after a later error the generation can be whole.
    /// - Returns: The generation, which is whole.
    /// - Throws: ``ExitError``, ``OpenFailure`` or ``BackupTargetFailure``.
    func run(
        in scratch: ScratchFolder,
        onBegin: (GenerationTime) -> Void,
        onManifest: (GenerationTime) -> Void
    ) throws -> GenerationFeed {
        let lock = try BackupLock(.backup, of: target)
        defer { lock.release() }
        let folder = try scratch.folder("base")
        let spool = try scratch.folder("segments")
        let base = "\(folder)/\(engine.databaseName)"
        try refuseFullDisk(spool)
        // The newest name is that of the newest generation also if the clock was set back.
        let newest = try repository.generationTimes(of: app).last?.timestamp
        let time = GenerationTime(
            try capture.begin(copyingTo: base, spool: spool, maxSize: maxWaiting, after: newest)
        )
        onBegin(time)
        let manifest = try store(base, in: folder, list: "\(scratch.path)/files", lines: scratch.folder("lines"), time)
        guard let link = SegmentLink(base: manifest.database) else {
            throw ExitError.storage("the base of the continuous backup has no digest")
        }
        try? StorageContents.removeFolder(folder)
        let layout = BackupLayout(app)
        let shipment = SegmentShipment(source: source, layout: layout, target: target, engine: engine)
        let feed = GenerationFeed(
            of: time,
            after: link,
            lacking: manifest.damaged,
            capturing: capture,
            in: scratch,
            shipping: shipment
        )
        try catchUp(feed)
        let name = layout.object(.manifest, ofGeneration: time)
        try lock.check()
        onManifest(time)
        try target.put(name, bytes: manifest.encoded)
        // This process could have slept between the check and the call.
        try lock.check()
        return feed
    }

    /// Stores what was committed since the base.
    ///
    /// A restore takes the newest whole generation, and the one before it took these changes as well: with the manifest
    /// they would be lost until the first segment.
    private func catchUp(_ feed: GenerationFeed) throws {
        for _ in 0..<GenerationWriter.maxRounds {
            let begin = ContinuousClock.now
            guard try feed.ship() != nil else { return }
            if ContinuousClock.now - begin < GenerationWriter.shortRound { return }
        }
    }

    /// Throws if the base would fill the disk, whose last bytes are for the server's clients.
    private func refuseFullDisk(_ spool: String) throws {
        let names = [engine.databaseName, "\(engine.databaseName)-wal"]
        let sizes = names.map { StorageContents.size(of: "\(source)/\($0)") }
        let needed = sizes.reduce(GenerationWriter.reserve, +)
        guard let space = FileSystemSpace(of: spool), space.free < needed else { return }
        throw ExitError.storage(
            "a generation of the continuous backup needs \(needed) bytes in \(spool), and \(space.free) are free"
        )
    }

    /// Whether a file that is not stored is damaged: a record is deleted before its blob, so one whose blob is missing can
    /// have been deleted since the base.
    private func isDamage(_ unfit: AppCopy.Unfit) -> Bool {
        guard case .blob(let file, .missing) = unfit else { return true }
        return capture.has(file)
    }

    /// Stores everything except the manifest.
    private func store(
        _ base: String,
        in folder: String,
        list: String,
        lines: String,
        _ time: GenerationTime
    ) throws -> BackupManifest {
        let layout = BackupLayout(app)
        let content = try BackupRepository.content(of: base)
        let database = try engine.openDatabase(in: folder)
        var damaged = 0
        let upload = BlobUpload(source: source, layout: layout, target: target, engine: engine)
        // Their records stay in the base, whose bytes the segments continue. A restore leaves out what no list names.
        let counts = try upload.run(database, listing: list, through: lines) { damaged += $0.count(where: isDamage) }
        try database.close()
        var manifest = BackupManifest(
            version: version,
            time: time.timestamp,
            apps: try StorageContents.allApps(in: storage, with: engine),
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
