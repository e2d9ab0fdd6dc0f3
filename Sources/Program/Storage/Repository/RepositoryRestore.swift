package import Domain

/// Copies the states of apps at a moment into a storage folder that does not exist or is empty.
///
/// For commands: it blocks, on several threads.
package struct RepositoryRestore {
    private let repository: BackupRepository
    private let destination: RestoreDestination
    private let moment: Timestamp?
    private let comparingDigests: Bool
    private let leavingOutDamage: Bool
    private let engine: any BackupEngine

    /// A name in the draft of the storage that no app has, because it begins with a dot.
    private static let fetched = ".fetched"

    /// Creates a restore.
    ///
    /// - Parameters:
    ///   - repository: The repository.
    ///   - storage: The storage folder.
    ///   - moment: The newest state at or before this time in ISO 8601 is restored; `nil` for the newest.
    ///   - comparingDigests: Whether the bytes of files are compared with their digests, or only the sizes.
    ///   - leavingOutDamage: Whether files whose blobs are missing or damaged, and apps without a state, are left
    ///     out, or end the restore.
    ///   - engine: Copies databases and blobs.
    package init(
        of repository: BackupRepository,
        to storage: String,
        at moment: String?,
        comparingDigests: Bool,
        leavingOutDamage: Bool,
        with engine: any BackupEngine
    ) {
        self.repository = repository
        destination = RestoreDestination(storage)
        self.moment = moment.flatMap { Timestamp(iso8601: $0) }
        self.comparingDigests = comparingDigests
        self.leavingOutDamage = leavingOutDamage
        self.engine = engine
    }

    /// Copies and checks everything; on return it is on the disk.
    ///
    /// - Returns: What was restored, and the states of which, such as "snapshot app 20270112T030000.123Z".
    /// - Throws: ``ExitError`` naming the defect of the backup or the storage folder; nothing is restored then.
    package func run() throws -> (summary: CopySummary, states: [String]) {
        try destination.refuseContents()
        let point = try RestorePoint(at: moment, in: repository)
        if let unreadable = point.unreadable.first, !leavingOutDamage { throw ExitError.storage(unreadable) }
        if let app = point.missing.first, !leavingOutDamage {
            throw ExitError.storage(
                "\(repository.target) has no snapshot of app \(app); --leave-out-damaged restores the other apps"
            )
        }
        if moment == nil { try refuseStatesAheadOfClock(point) }
        for state in point.states {
            guard case .generation(let generation, let span) = state.source else { continue }
            // The list of its segments can lack those that a retention removed after its manifest was read.
            try refuseRemoved(state)
            guard let gap = span.gap else { continue }
            let defect = GenerationDefect(in: generation, gap, "is missing", after: span.end(of: generation))
            throw ExitError.storage(defect.advice)
        }
        var summary = CopySummary()
        try destination.fill { draft in
            for state in point.states {
                try explaining(state) { try restore(state, to: draft, counting: &summary) }
            }
            try restoreGeneratedApp(of: point, to: draft)
        }
        return (summary, point.states.map(\.description))
    }

    /// Throws if the newest state of an app is later than the clock, and can be older than another one.
    ///
    /// Snapshots are in order unless the target says otherwise, and so are generations; but a snapshot of a clock that was
    /// ahead tells nothing about changes that a generation took later, nor the other way round.
    private func refuseStatesAheadOfClock(_ point: RestorePoint) throws {
        let now = Timestamp.now()
        let ahead = try point.states.first { state in
            guard state.moment > BackupRepository.clockLimit(now) else { return false }
            let app = state.layout.app
            guard try repository.generationTimes(of: app).isEmpty else { return try !repository.parts(of: app).isEmpty }
            return try !repository.snapshotsOutOfOrder(of: app, now: now).isEmpty
        }
        guard let state = ahead else { return }
        throw ExitError.storage(
            "the newest state, \(state.description), is later than the clock of this machine, because this clock is behind "
                + "or another one was ahead; --at \(state.moment.iso8601) restores it, --at \(now.iso8601) the newest "
                + "state before now"
        )
    }

    /// Throws if a retention has removed a state: what is missing then is no damage, and no reason to leave it out.
    ///
    /// A restore takes no lock, because it works with credentials that cannot write. A retention removes the manifest
    /// first, so the manifest is gone before anything else of the state is.
    private func refuseRemoved(_ state: RestorableState) throws {
        if try repository.lacks(manifest: state.manifestName) { throw removal(of: state) }
    }

    /// Runs a body; if it fails and a retention has removed the state that it reads, that is the error.
    private func explaining(_ state: RestorableState, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            guard (try? repository.lacks(manifest: state.manifestName)) == true else { throw error }
            throw removal(of: state)
        }
    }

    private func removal(of state: RestorableState) -> ExitError {
        ExitError.storage(
            "a retention removed \(state.description) from \(repository.target) during the restore; restore another "
                + "state ('lcfile backup --to … --list')"
        )
    }

    private func restore(_ state: RestorableState, to draft: String, counting summary: inout CopySummary) throws {
        let folder = "\(draft)/\(RepositoryRestore.fetched)"
        try StorageContents.makeFolder(folder)
        try fetchDatabase(of: state, to: folder)
        let lackingBefore = summary.lacking
        var damaged = state.manifest.damaged
        if case .snapshot = state.source { summary.lacking += damaged }
        let copy = AppCopy(
            engine: engine,
            source: folder,
            target: "\(draft)/\(state.layout.app)",
            comparingDigests: comparingDigests,
            repository: (repository.target, state.layout)
        )
        var lists: Result<BlobNames, any Error>?
        try copy.run(counting: &summary) { unfit, database, summary in
            try refuseRemoved(state)
            var unfit = unfit
            if case .generation(let generation, let span) = state.source {
                let read = lists ?? Result { try repository.blobs(of: generation, span, with: engine, through: folder) }
                lists = read
                if case .failure(let error) = read {
                    try refuseRemoved(state)
                    // Without a whole list it is unknown which files the backup never had, so all of them count as
                    // damaged.
                    if !leavingOutDamage { throw RepositoryRestore.withAdvice(error) }
                }
            }
            if case .generation = state.source, case .success(let names)? = lists {
                let unlisted = try leaveOutUnlisted(&unfit, by: names, of: database)
                let lost = min(unlisted, damaged)
                damaged -= lost
                summary.lacking += lost
                summary.deleted += unlisted - lost
            }
            guard let first = unfit.first else { return }
            guard leavingOutDamage else {
                throw ExitError.storage(
                    "the backup \(state.description) is incomplete: \(first.description); "
                        + "--leave-out-damaged restores the other files"
                )
            }
            try StorageBackup.leaveOut(unfit, of: database, counting: &summary)
        }
        if let damage = summary.firstDamagedDatabase { throw ExitError.storage("the database \(damage)") }
        if lackingBefore == 0, summary.lacking > 0 {
            summary.completeMoment = try RestorePoint.newestComplete(before: state, in: repository)?.iso8601
        }
        try StorageContents.removeFolder(folder)
    }

    /// The error, with what an operator can do about a list of blobs that is missing or damaged.
    private static func withAdvice(_ error: any Error) -> any Error {
        guard let defect = error as? BlobListDefect else { return error }
        return ExitError.storage("\(defect); --leave-out-damaged restores without the files that it cannot find")
    }

    private func fetchDatabase(of state: RestorableState, to folder: String) throws {
        switch state.source {
        case .snapshot(let snapshot):
            let name = snapshot.layout.object(.database, of: snapshot.time)
            let path = "\(folder)/\(engine.databaseName)"
            guard let defect = try repository.get(name, as: snapshot.manifest.database, to: path) else { return }
            throw ExitError.storage("the backup \(state.description) cannot be restored: its database \(defect)")
        case .generation(let generation, let span):
            do {
                try GenerationReplay(generation: generation, repository: repository, engine: engine)
                    .run(span, to: folder)
            } catch let defect as GenerationDefect {
                throw ExitError.storage(defect.advice)
            }
        }
    }

    /// Removes the records of missing blobs that no list of a generation names.
    ///
    /// The pages of a generation have the records of all files, also of those that were deleted before their blobs were
    /// stored in the repository, and of those that were damaged in the storage.
    ///
    /// - Returns: The number of records.
    private func leaveOutUnlisted(
        _ unfit: inout [AppCopy.Unfit],
        by names: BlobNames,
        of database: any CopiedDatabase
    ) throws -> Int {
        var files: [FileEntry] = []
        var rest: [AppCopy.Unfit] = []
        for one in unfit {
            if case .blob(let file, .missing) = one, try !names.contains(BackupBlob(of: file)) {
                files.append(file)
            } else {
                rest.append(one)
            }
        }
        unfit = rest
        if !files.isEmpty, database.damage == nil { try database.forget(files, []) }
        return files.count
    }

    /// Restores the keys of the generated app from the newest state that has them.
    private func restoreGeneratedApp(of point: RestorePoint, to draft: String) throws {
        let states = point.states.sorted { $0.begin < $1.begin }
        guard let state = states.last(where: { $0.manifest.generatedApp != nil }),
            let content = state.manifest.generatedApp
        else { return }
        let path = "\(draft)/\(StorageContents.generatedApp)"
        if let defect = try repository.get(state.generatedApp, as: content, to: path) {
            try refuseRemoved(state)
            throw ExitError.storage("\(StorageContents.generatedApp) of the backup \(state.description) \(defect)")
        }
    }
}
