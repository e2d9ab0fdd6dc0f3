internal import ArgumentParser
internal import Server
internal import Storage

/// What `lcfile backup --to` does, with its messages and exit codes.
struct RepositoryCommands {
    let name: String
    let options: RepositoryOptions
    let folder: StorageOptions
    let printsJSON: Bool

    /// Performs what the options say.
    func run() throws {
        let isBackup = !options.list && !options.verify && !options.dryRun && !options.forget
        let target = try BackupTargets.target(name, creating: isBackup, folder.loader)
        if options.list { return try list(BackupRepository(target)) }
        if options.verify { return try verify(BackupRepository(target)) }
        let repository = try BackupRepository(target, creating: isBackup)
        try warnOfClock(repository)
        if options.dryRun { return try tryRetention(repository) }
        if options.forget { return try retain(repository) }
        try backUp(to: repository)
        // After a backup with damage the older ones stay: they can have the undamaged files.
        guard !options.rules.isEmpty else { return }
        try retain(repository)
    }

    /// Names a state whose time is wrong, or shows that the clock of this machine is.
    private func warnOfClock(_ repository: BackupRepository) throws {
        let states = try repository.statesAheadOfClock()
        guard let first = states.first else { return }
        Terminal.printError(
            "lcfile: \(name) has \(CopySummary.count(states.count, "state")) later than the clock of this machine, the first: "
                + "\(first). This clock is behind, or another one was ahead (docs/backup.md)"
        )
    }

    private func backUp(to repository: BackupRepository) throws {
        let summary = try RepositoryBackup(
            of: folder.path,
            to: repository,
            version: ProgramVersion.number,
            with: folder.engine
        ).run()
        let new =
            "\(CopySummary.count(summary.newFiles, "new file")) with \(CopySummary.count(summary.newBytes, "byte"))"
        Terminal.printLine("Backed up \(summary.contents.description) to \(name): \(new).")
        if let reason = summary.leftLocks {
            Terminal.printError("lcfile: locks of ended backups stay in \(name), in .locks/: \(reason)")
        }
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
        try summary.contents.requireComplete("the backup")
    }

    private func tryRetention(_ repository: BackupRepository) throws {
        let summary = try retention(of: repository).trial()
        for snapshot in summary.removed { Terminal.printLine("Would remove snapshot \(snapshot).") }
        for generation in summary.removedGenerations { Terminal.printLine("Would remove generation \(generation).") }
        Terminal.printLine("Would keep \(kept(by: summary)).")
    }

    private func retain(_ repository: BackupRepository) throws {
        let summary = try retention(of: repository).run()
        for snapshot in summary.removed { Terminal.printLine("Removed snapshot \(snapshot).") }
        for generation in summary.removedGenerations { Terminal.printLine("Removed generation \(generation).") }
        let blobs = CopySummary.count(summary.blobs, "file")
        let bytes = CopySummary.count(summary.bytes, "byte")
        Terminal.printLine("Kept \(kept(by: summary)), removed \(blobs) with \(bytes).")
    }

    private func retention(of repository: BackupRepository) -> RepositoryRetention {
        RepositoryRetention(of: repository, options.rules, with: folder.engine, besides: folder.path)
    }

    private func kept(by summary: RetentionSummary) -> String {
        RepositoryCommands.count(summary.kept.count, summary.keptGenerations.count)
    }

    /// "3 snapshots", or "3 snapshots and 1 generation".
    private static func count(_ snapshots: Int, _ generations: Int) -> String {
        let text = CopySummary.count(snapshots, "snapshot")
        return generations == 0 ? text : "\(text) and \(CopySummary.count(generations, "generation"))"
    }

    private func list(_ repository: BackupRepository) throws {
        let list = try repository.list()
        let rows = list.snapshots.map { RepositoryRow($0) } + list.generations.map { RepositoryRow($0) }
        if printsJSON {
            try JSONLines.print(rows)
        } else {
            for line in Table.lines([RepositoryRow.head] + rows.map(\.cells)) { Terminal.printLine(line) }
        }
        guard let last = list.damage.last else { return }
        for damage in list.damage.dropLast() { Terminal.printError("lcfile: \(damage)") }
        throw ExitError.storage(last)
    }

    private func verify(_ repository: BackupRepository) throws {
        let verification = RepositoryVerification(
            of: repository,
            reading: options.readBlobs,
            with: folder.engine,
            besides: folder.path
        )
        let summary = try verification.run()
        for damage in summary.damage { Terminal.printError("lcfile: \(damage)") }
        let read = options.readData ? ", read \(CopySummary.count(summary.readFiles, "file"))" : ""
        Terminal.printLine("Verified \(RepositoryCommands.count(summary.snapshots, summary.generations))\(read).")
        let files = CopySummary.count(summary.damagedFiles, "damaged or missing file")
        let rows = CopySummary.count(summary.damagedRows, "damaged row")
        if summary.damagedSnapshots + summary.damagedGenerations > 0 {
            let parts = RepositoryCommands.count(summary.damagedSnapshots, summary.damagedGenerations)
            throw ExitError.storage(
                "\(parts) in \(name) cannot be restored as a whole; also found: \(files) and \(rows)"
            )
        }
        if summary.damagedFiles > 0 || summary.damagedRows > 0 {
            throw ExitError.incomplete(
                "\(files) and \(rows) in the snapshots of \(name); docs/backup.md describes the repair"
            )
        }
        if summary.snapshots + summary.generations == 0 { throw ExitError.storage("\(name) has no snapshot") }
    }
}
