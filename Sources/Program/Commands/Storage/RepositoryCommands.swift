internal import ArgumentParser
internal import Server
internal import Storage

/// What `lcfile backup --to` does, with its messages and exit codes.
struct RepositoryCommands {
    let name: String
    let options: RepositoryOptions
    let bucket: BucketOptions
    let storage: String
    let printsJSON: Bool

    /// Performs what the options say.
    func run() throws {
        let target = try BackupTargets.target(name, bucket.loader)
        if options.list { return try list(BackupRepository(target)) }
        if options.verify { return try verify(BackupRepository(target)) }
        if options.dryRun {
            let summary = try RepositoryRetention(of: BackupRepository(target), options.rules).trial()
            for snapshot in summary.removed { Terminal.printLine("Would remove snapshot \(snapshot).") }
            return Terminal.printLine("Would keep \(CopySummary.count(summary.kept.count, "snapshot")).")
        }
        if options.forget { return try retain(BackupRepository(target)) }
        let repository = try BackupRepository(target, creating: true)
        try backUp(to: repository)
        // After a backup with damage the older ones stay: they can have the undamaged files.
        guard !options.rules.isEmpty else { return }
        try retain(repository)
    }

    private func backUp(to repository: BackupRepository) throws {
        let summary = try RepositoryBackup(
            of: storage,
            to: repository,
            version: ProgramVersion.number,
            with: FolderEngine()
        ).run()
        let new =
            "\(CopySummary.count(summary.newFiles, "new file")) with \(CopySummary.count(summary.newBytes, "byte"))"
        Terminal.printLine("Backed up \(summary.contents.description) to \(name): \(new).")
        if summary.contents.deleted > 0 {
            let deleted = CopySummary.count(summary.contents.deleted, "file")
            Terminal.printLine("Left out \(deleted) that the server deleted during the backup.")
        }
        if let first = summary.contents.firstDamagedDatabase {
            throw ExitError.storage(
                "the database \(first). Its app has no new snapshot in \(name); "
                    + "'lcfile backup DIR' saves its pages and the files with readable records"
            )
        }
        if let first = summary.contents.firstDamage {
            let damaged = CopySummary.count(summary.contents.damaged, "damaged file")
            throw ExitError.incomplete("the backup is incomplete: it does not contain \(damaged); the first: \(first)")
        }
    }

    private func retain(_ repository: BackupRepository) throws {
        let summary = try RepositoryRetention(of: repository, options.rules).run()
        for snapshot in summary.removed { Terminal.printLine("Removed snapshot \(snapshot).") }
        let kept = CopySummary.count(summary.kept.count, "snapshot")
        let blobs = CopySummary.count(summary.blobs, "file")
        Terminal.printLine("Kept \(kept), removed \(blobs) with \(CopySummary.count(summary.bytes, "byte")).")
    }

    private func list(_ repository: BackupRepository) throws {
        let rows = try repository.list().map(SnapshotRow.init)
        guard !printsJSON else { return try JSONLines.print(rows) }
        let head = ["APP", "TIME", "FILES", "SIZE", "DAMAGED"]
        for line in Table.lines([head] + rows.map(\.cells)) { Terminal.printLine(line) }
    }

    private func verify(_ repository: BackupRepository) throws {
        let verification = RepositoryVerification(of: repository, reading: options.readBlobs, with: FolderEngine())
        let summary = try verification.run()
        for damage in summary.damage { Terminal.printError("lcfile: \(damage)") }
        let read = options.readData ? ", read \(CopySummary.count(summary.readFiles, "file"))" : ""
        Terminal.printLine("Verified \(CopySummary.count(summary.snapshots, "snapshot"))\(read).")
        let files = CopySummary.count(summary.damagedFiles, "damaged or missing file")
        if summary.damagedSnapshots > 0 {
            let snapshots = CopySummary.count(summary.damagedSnapshots, "snapshot")
            throw ExitError.storage("\(snapshots) in \(name) cannot be restored, and \(files) were found")
        }
        if summary.damagedFiles > 0 {
            throw ExitError.incomplete("\(files) in the snapshots of \(name); docs/backup.md describes the repair")
        }
        if summary.snapshots == 0 { throw ExitError.storage("\(name) has no snapshot") }
    }
}

/// A snapshot as `--list` shows it.
private struct SnapshotRow: Encodable {
    let app: String
    let time: String
    let files: Int
    let bytes: Int64
    let damaged: Int
    let version: String

    init(_ snapshot: SnapshotFacts) {
        app = snapshot.app
        time = snapshot.time
        files = snapshot.files
        bytes = snapshot.bytes
        damaged = snapshot.damaged
        version = snapshot.version
    }

    var cells: [String] { [app, time, "\(files)", Amount.bytes(bytes), "\(damaged)"] }
}
