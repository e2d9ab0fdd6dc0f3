internal import ArgumentParser
internal import Server
internal import Storage

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a backup and copy it into a new or empty storage folder.",
        discussion: """
            The command checks every database and every file of the backup before it copies them. An interrupted \
            restore leaves restore.partial in the storage folder, and no server starts while it exists. From a \
            repository ('lcfile backup --to', backup.target) the newest state is restored, or the newest that is not \
            newer than --at: a snapshot, or any moment of the continuous backup. The exit code is 65 if the restored \
            storage lacks damaged files or has damaged rows.

            Examples:
              lcfile restore --storage /var/lib/lcfile /backups/2027-01-12
              lcfile restore --storage /var/lib/lcfile /backups/lcfile \\
                --at 2027-01-12T08:00:00Z
            """
    )

    @OptionGroup var options: StorageOptions

    @Flag(help: "Check the size of each file, but not its SHA-256.")
    var quick = false

    @Option(
        help: "Of a repository, restore the state of this time: a date, a time in UTC, or an age such as 7d.",
        transform: TimeArgument.option("--at")
    )
    var at: String?

    @Flag(help: "Of a repository, leave out damaged or missing files, for which the exit code is 65, and such apps.")
    var leaveOutDamaged = false

    @Argument(
        help: ArgumentHelp("The folder of the backup, or a repository.", valueName: "dir"),
        completion: .directory
    )
    var folder: String

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("The folder of the backup is missing.") }
    }

    func run() throws {
        options.keepTemporaryFiles()
        try StorageOptions.complaining {
            guard !BackupTargets.isRepository(folder) else { return try restoreSnapshots() }
            guard at == nil, !leaveOutDamaged else {
                throw ValidationError("--at and --leave-out-damaged need a backup repository (docs/backup.md).")
            }
            let restore = StorageRestore(
                of: folder,
                to: options.path,
                comparingDigests: !quick,
                with: options.engine
            )
            let summary = try restore.run()
            Terminal.printLine("Restored \(summary.description) to \(options.path).")
            try summary.requireComplete("the restored storage")
        }
    }

    private func restoreSnapshots() throws {
        let restore = RepositoryRestore(
            of: try BackupRepository(BackupTargets.target(folder, creating: false, options.loader)),
            to: options.path,
            at: at,
            comparingDigests: !quick,
            leavingOutDamage: leaveOutDamaged,
            with: options.engine
        )
        let (summary, states) = try restore.run()
        for state in states { Terminal.printLine("Restored \(state).") }
        Terminal.printLine("Restored \(summary.description) to \(options.path).")
        if summary.deleted > 0 {
            let deleted = CopySummary.count(summary.deleted, "file")
            Terminal.printLine("Left out \(deleted) whose bytes the storage did not have when they were backed up.")
        }
        try summary.requireComplete("the restored storage")
    }
}
