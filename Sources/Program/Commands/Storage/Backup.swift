internal import ArgumentParser
internal import Server
internal import Storage

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Back up all apps to a new folder or to a repository, while the server runs or not.",
        discussion: """
            With DIR the command writes DIR.partial and renames it to DIR when everything is on the disk: a DIR that exists is \
            complete. It contains databases, files and apps.yaml, but not the configuration file. Damaged \
            files of the storage are left out, damaged rows are copied as they are, and the exit code is 65. If a database is damaged, its \
            pages are copied unchanged, the backup cannot be restored, and the exit code is 73.

            With --to the command adds a snapshot to a repository, which has the bytes of each file once. \
            --keep-last, --keep-daily, --keep-weekly and --keep-monthly then remove snapshots that none of them \
            keeps, and the files of no other snapshot; --keep-moments is for the continuous backup of a server \
            (backup.target). --verify checks all snapshots and the continuous backup: 65 files or rows are damaged, \
            or files missing, 73 a snapshot or a moment cannot be restored.

            Examples:
              lcfile backup --storage /var/lib/lcfile /backups/2027-01-12
              lcfile backup --storage /var/lib/lcfile --to /backups/lcfile \\
                --keep-daily 7 --keep-weekly 4
              lcfile backup --to s3://backups/lcfile --config /etc/lcfile/lcfile.yaml
              lcfile backup --to /backups/lcfile --list
              lcfile backup --to /backups/lcfile --verify --read-data --subset 1/30
            """
    )

    @OptionGroup var options: StorageOptions

    @OptionGroup var repository: RepositoryOptions

    @OptionGroup var json: JSONOption

    @Argument(help: ArgumentHelp("The folder to create; it must not exist.", valueName: "dir"), completion: .directory)
    var folder: String?

    func validate() throws {
        guard folder != "", folder != nil || repository.to != nil else {
            throw ValidationError("The folder to create is missing, or --to for a repository.")
        }
        guard folder == nil || repository.to == nil else {
            throw ValidationError("A backup goes to a new folder or to a repository (--to), not to both.")
        }
        guard !json.isOn || repository.list else { throw ValidationError("--json needs --list.") }
    }

    func run() throws {
        options.keepTemporaryFiles()
        try StorageOptions.complaining {
            if let name = repository.to {
                let commands = RepositoryCommands(
                    name: name,
                    options: repository,
                    folder: options,
                    printsJSON: json.isOn
                )
                return try commands.run()
            }
            guard let folder else { return }
            let summary = try StorageBackup(of: options.path, to: folder, with: options.engine).run()
            Terminal.printLine("Backed up \(summary.description) to \(folder).")
            if summary.deleted > 0 {
                let deleted = CopySummary.count(summary.deleted, "file")
                Terminal.printLine("Left out \(deleted) that the server deleted during the backup.")
            }
            if let first = summary.firstDamagedDatabase {
                throw ExitError.storage(
                    "the database \(first). \(folder) contains damaged pages as lcfile.sqlite.damaged, the files with "
                        + "readable records, and \(CopySummary.count(summary.apps, "complete app")); it cannot be restored "
                        + "before that database is repaired (docs/storage-format.md), so keep the last complete backup"
                )
            }
            try summary.requireComplete("the backup")
        }
    }
}
