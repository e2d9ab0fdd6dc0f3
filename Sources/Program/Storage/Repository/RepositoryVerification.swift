package import Domain

/// The result of a verification.
package struct VerificationSummary: Sendable, Equatable {
    /// The number of snapshots.
    package var snapshots = 0
    /// The number of blobs whose bytes were read.
    package var readFiles = 0
    /// The size of those in bytes.
    package var readBytes: Int64 = 0
    /// The number of files in snapshots whose blobs are missing or damaged.
    package var damagedFiles = 0
    /// The number of snapshots whose database or lists are damaged: they cannot be restored.
    package var damagedSnapshots = 0
    /// A description of each damage once, up to a limit.
    package var damage: [String] = []

    /// The maximum number of descriptions.
    package static let maxDescriptions = 100

    /// Creates an empty summary.
    package init() {}

    mutating func note(_ description: String) {
        guard damage.count < VerificationSummary.maxDescriptions, !damage.contains(description) else { return }
        damage.append(description)
    }
}

/// Checks the snapshots of a repository: databases, lists, and the blobs that they name.
///
/// For commands: it blocks, on several threads. It only reads, so that it works with credentials that cannot write. A
/// snapshot that a retention removes meanwhile is ignored.
package struct RepositoryVerification {
    private let repository: BackupRepository
    private let subset: BlobSubset?
    private let engine: any BackupEngine

    private static let pageSize = 256

    /// Creates a verification.
    ///
    /// - Parameters:
    ///   - repository: The repository.
    ///   - subset: The blobs whose bytes are read; `nil` to compare sizes only.
    ///   - engine: Opens databases and reads blobs.
    package init(of repository: BackupRepository, reading subset: CheckSubset?, with engine: any BackupEngine) {
        self.repository = repository
        self.subset = subset?.blobs
        self.engine = engine
    }

    /// Checks all snapshots.
    ///
    /// - Throws: ``ExitError`` if the repository cannot be read; damage is part of the result.
    package func run() throws -> VerificationSummary {
        var summary = VerificationSummary()
        for app in try repository.apps() {
            let scratch = try ScratchFolder()
            defer { scratch.remove() }
            // The names of blobs that were read for a newer snapshot.
            let read = LineBuckets(in: try scratch.folder("read"))
            for (index, snapshot) in try repository.snapshots(of: app).reversed().enumerated() {
                let folder = try scratch.folder("\(index)")
                var result = summary
                try BackupRepository.complaining { try check(snapshot, read, through: folder, &result) }
                try StorageContents.removeFolder(folder)
                let manifest = snapshot.layout.object(.manifest, of: snapshot.time)
                let isDamaged =
                    result.damagedFiles > summary.damagedFiles || result.damagedSnapshots > summary.damagedSnapshots
                if isDamaged, try repository.lacks(manifest) { continue }
                summary = result
                summary.snapshots += 1
            }
        }
        return summary
    }

    /// Checks a snapshot.
    private func check(
        _ snapshot: Snapshot,
        _ read: LineBuckets,
        through folder: String,
        _ summary: inout VerificationSummary
    ) throws {
        let name = "\(snapshot.layout.app) \(snapshot.time)"
        func intact(_ part: SnapshotPart, _ content: BackupManifest.Content, _ path: String) throws -> Bool {
            guard let defect = try repository.get(part, of: snapshot, as: content, to: path) else { return true }
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
            try database.close()
            if isIntact, try !isList(list, of: buckets) {
                isIntact = false
                summary.note("snapshot \(name): the list of files does not name the files of the database")
            }
            try checkBlobs(buckets, of: snapshot, read, through: folder, &summary)
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

    /// Compares the sizes of blobs, and the bytes of those in the subset that were not read before.
    private func checkBlobs(
        _ buckets: LineBuckets,
        of snapshot: Snapshot,
        _ read: LineBuckets,
        through folder: String,
        _ summary: inout VerificationSummary
    ) throws {
        let layout = snapshot.layout
        var listing = BlobListing(of: layout, in: repository.target)
        for bucket in LineBuckets.indices {
            let files = try buckets.files(of: bucket)
            var present: [FileEntry] = []
            for file in files {
                let size = try listing.size(of: layout.object(of: file))
                if size == file.facts.size {
                    present.append(file)
                } else {
                    note(file, size.map { .damaged("has \($0) bytes, not \(file.facts.size)") } ?? .missing, &summary)
                }
            }
            guard let subset else { continue }
            let done = Set(try read.lines(of: bucket))
            var rest = present.filter { file in
                subset.contains(BlobName(file.key)) && !done.contains(BackupBlob(of: file).description)
            }[...]
            while !rest.isEmpty {
                let page = Array(rest.prefix(RepositoryVerification.pageSize))
                rest = rest.dropFirst(page.count)
                let conditions = try engine.check(page, in: repository.target, layout: layout, through: folder)
                for (file, condition) in zip(page, conditions) {
                    summary.readFiles += 1
                    summary.readBytes += file.facts.size
                    try read.add(BackupBlob(of: file).description)
                    if condition != .whole { note(file, condition, &summary) }
                }
            }
        }
    }

    private func note(_ file: FileEntry, _ condition: BlobCondition, _ summary: inout VerificationSummary) {
        summary.damagedFiles += 1
        summary.note("\(AppCopy.Unfit.blob(of: file, condition).description) (\(BackupBlob(of: file)))")
    }
}

extension BackupRepository {
    /// Whether an object does not exist any more.
    fileprivate func lacks(_ name: String) throws -> Bool {
        try BackupRepository.complaining { try target.get(name, limit: BackupManifest.maxSize) == nil }
    }
}
