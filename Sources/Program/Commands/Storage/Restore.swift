internal import ArgumentParser
internal import Server
internal import Storage

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a backup and copy it into a new or empty storage folder.",
        discussion: """
            The command checks every database and every file of the backup before it copies them. An interrupted \
            restore leaves restore.partial in the storage folder, and no server starts while it exists.

            Examples:
              lcfile restore --storage /var/lib/lcfile /backups/2027-01-12
            """
    )

    @OptionGroup var options: StorageOptions

    @Flag(help: "Check the size of each file, but not its SHA-256.")
    var quick = false

    @Argument(help: ArgumentHelp("The folder of the backup.", valueName: "dir"), completion: .directory)
    var folder: String

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("The folder of the backup is missing.") }
    }

    func run() throws {
        try StorageOptions.complaining {
            let restore = StorageRestore(
                of: folder,
                to: options.path,
                comparingDigests: !quick,
                with: FolderEngine()
            )
            let summary = try restore.run()
            Terminal.printLine("Restored \(summary.description) to \(options.path).")
        }
    }
}
