package import Domain

/// The result of a verification.
package struct VerificationSummary: Sendable, Equatable {
    /// The number of snapshots.
    package var snapshots = 0
    /// The number of generations of continuous backups.
    package var generations = 0
    /// The number of blobs whose bytes were read.
    package var readFiles = 0
    /// The size of those in bytes.
    package var readBytes: Int64 = 0
    /// The number of files in snapshots and generations whose blobs are missing or damaged.
    package var damagedFiles = 0
    /// The number of rows in snapshots and generations that do not match their checksums.
    package var damagedRows = 0
    /// The number of generations with a gap or damage, also of the manifest: not all of their moments can be restored.
    package var damagedGenerations = 0
    /// The number of snapshots whose database, lists or manifest are damaged: they cannot be restored.
    package var damagedSnapshots = 0
    /// A description of each damage once, up to a limit.
    package var damage: [String] = []

    /// The maximum number of descriptions.
    package static let maxDescriptions = 100

    /// Creates an empty summary.
    package init() {}

    /// The number of everything that is damaged.
    var damageCount: Int { damagedFiles + damagedSnapshots + damagedGenerations }

    mutating func note(_ description: String) {
        guard damage.count < VerificationSummary.maxDescriptions, !damage.contains(description) else { return }
        damage.append(description)
    }
}

/// Checks the snapshots and generations of a repository: databases, segments, lists, and the blobs that they name.
///
/// For commands: it blocks, on several threads. It only reads, so that it works with credentials that cannot write. What
/// a retention removes meanwhile is ignored.
package struct RepositoryVerification {
    private let repository: BackupRepository
    private let subset: BlobSubset?
    private let engine: any BackupEngine
    private let storage: String?

    /// Creates a verification.
    ///
    /// - Parameters:
    ///   - repository: The repository.
    ///   - subset: The blobs whose bytes are read; `nil` to compare sizes only.
    ///   - engine: Opens databases and reads blobs.
    ///   - storage: The storage folder, for temporary files; `nil` if there is none.
    package init(
        of repository: BackupRepository,
        reading subset: CheckSubset?,
        with engine: any BackupEngine,
        besides storage: String? = nil
    ) {
        self.repository = repository
        self.storage = storage
        self.subset = subset?.blobs
        self.engine = engine
    }

    /// Checks everything.
    ///
    /// - Throws: ``ExitError`` if the repository cannot be read; damage is part of the result.
    package func run() throws -> VerificationSummary {
        var summary = VerificationSummary()
        for app in try repository.apps() {
            let scratch = try ScratchFolder(besides: storage)
            defer { scratch.remove() }
            let blobs = BlobVerification(
                repository: repository,
                layout: BackupLayout(app),
                subset: subset,
                engine: engine,
                read: LineBuckets(in: try scratch.folder("read"))
            )
            let snapshots = try repository.snapshots(of: app) { damage in
                summary.snapshots += 1
                summary.damagedSnapshots += 1
                summary.note(damage.description)
            }
            for snapshot in snapshots.reversed() {
                let manifest = snapshot.layout.object(.manifest, of: snapshot.time)
                try check(manifest, through: scratch, counting: \.snapshots, &summary) { folder, summary in
                    try check(snapshot, blobs, through: folder, &summary)
                }
            }
            let generations = try repository.generations(of: app) { damage in
                summary.generations += 1
                summary.damagedGenerations += 1
                summary.note(damage.description)
            }
            for generation in generations.reversed() {
                let manifest = generation.object(.manifest)
                try check(manifest, through: scratch, counting: \.generations, &summary) { folder, summary in
                    let verification = GenerationVerification(
                        generation: generation,
                        repository: repository,
                        engine: engine,
                        blobs: blobs
                    )
                    try verification.run(through: folder, &summary)
                }
            }
        }
        return summary
    }

    /// Checks what has a manifest, and ignores it if a retention removed that meanwhile.
    private func check(
        _ manifest: String,
        through scratch: ScratchFolder,
        counting count: WritableKeyPath<VerificationSummary, Int>,
        _ summary: inout VerificationSummary,
        _ body: (String, inout VerificationSummary) throws -> Void
    ) throws {
        let folder = try scratch.folder("part")
        var result = summary
        try BackupRepository.complaining { try body(folder, &result) }
        try StorageContents.removeFolder(folder)
        if result.damageCount > summary.damageCount, try repository.lacks(manifest: manifest) { return }
        summary = result
        summary[keyPath: count] += 1
    }

    /// Checks a snapshot.
    private func check(
        _ snapshot: Snapshot,
        _ blobs: BlobVerification,
        through folder: String,
        _ summary: inout VerificationSummary
    ) throws {
        let name = "\(snapshot.layout.app) \(snapshot.time)"
        func intact(_ part: SnapshotPart, _ content: BackupManifest.Content, _ path: String) throws -> Bool {
            let object = snapshot.layout.object(part, of: snapshot.time)
            guard let defect = try repository.get(object, as: content, to: path) else { return true }
            summary.note("snapshot \(name): \(part.rawValue) \(defect)")
            return false
        }
        try StorageContents.makeFolder("\(folder)/database")
        let list = "\(folder)/list"
        let path = "\(folder)/database/\(engine.databaseName)"
        var isIntact = try intact(.files, snapshot.manifest.files, list)
        if let apps = snapshot.manifest.generatedApp {
            isIntact = try intact(.apps, apps, "\(folder)/apps") && isIntact
        }
        guard try intact(.database, snapshot.manifest.database, path) else {
            summary.damagedSnapshots += 1
            return
        }
        do {
            let database = try engine.openDatabase(in: "\(folder)/database")
            let buckets = LineBuckets(in: folder)
            try buckets.add(filesOf: database) { broken in
                isIntact = false
                for record in broken { summary.note("snapshot \(name): \(AppCopy.Unfit.record(record).description)") }
            }
            try database.forEachDamagedRow { row in
                summary.damagedRows += 1
                summary.note("snapshot \(name): \(row)")
            }
            try database.close()
            if isIntact, try !isList(list, of: buckets) {
                isIntact = false
                summary.note("snapshot \(name): the list of files does not name the files of the database")
            }
            try blobs.run(buckets, through: folder, &summary)
        } catch let failure as OpenFailure {
            isIntact = false
            summary.note("snapshot \(name): the database \(failure.message)")
        }
        if !isIntact { summary.damagedSnapshots += 1 }
    }

    /// Whether a list names exactly the blobs of the records.
    private func isList(_ path: String, of buckets: LineBuckets) throws -> Bool {
        var expected: ArraySlice<String> = []
        var next = 0
        func nextName() throws -> String? {
            while expected.isEmpty, next < LineBuckets.indices.count {
                expected = try buckets.files(of: next).map { BackupBlob(of: $0).description }[...]
                next += 1
            }
            return expected.popFirst()
        }
        var isEqual = true
        try FileBytes.forEachLine(of: path) { line in
            if isEqual, try nextName() != line { isEqual = false }
        }
        return try isEqual && nextName() == nil
    }
}
