internal import ArgumentParser
internal import Server
internal import Storage

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Back up all apps to a new folder, while the server runs or not.",
        discussion: """
            The command writes DIR.partial and renames it to DIR when everything is on the disk: a DIR that exists is \
            complete. It contains databases, files and apps.yaml, but not the configuration file. If files of the \
            storage are damaged, the backup leaves them out and the exit code is 65. If a database is damaged, its \
            pages are copied unchanged, the backup cannot be restored, and the exit code is 73.

            Examples:
              lcfile backup --storage /var/lib/lcfile /backups/2027-01-12
            """
    )

    @OptionGroup var options: StorageOptions

    @Argument(help: ArgumentHelp("The folder to create; it must not exist.", valueName: "dir"), completion: .directory)
    var folder: String

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("The folder to create is missing.") }
    }

    func run() throws {
        try StorageOptions.complaining {
            let summary = try StorageBackup(of: options.path, to: folder, with: FolderEngine()).run()
            Terminal.printLine("Backed up \(summary.description) to \(folder).")
            if summary.deleted > 0 {
                let deleted = CopySummary.count(summary.deleted, "file")
                Terminal.printLine("Left out \(deleted) that the server deleted during the backup.")
            }
            if let first = summary.firstDamagedDatabase {
                throw ExitError.storage(
                    "the database \(first). \(folder) contains its pages as lcfile.sqlite.damaged, the files with "
                        + "readable records, and \(CopySummary.count(summary.apps, "complete app")); it cannot be restored "
                        + "before that database is repaired (docs/storage-format.md), so keep the last complete backup"
                )
            }
            if let first = summary.firstDamage {
                throw ExitError.incomplete(
                    "the backup is incomplete: it does not contain \(CopySummary.count(summary.damaged, "damaged file")); "
                        + "the first: \(first)"
                )
            }
        }
    }
}
