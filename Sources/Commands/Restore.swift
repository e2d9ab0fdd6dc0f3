internal import ArgumentParser
internal import Server

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a backup and copy it into a new or empty storage folder.",
        discussion: """
            Nothing is copied before every database and every file in the backup was found whole. A restore that is cut \
            off leaves restore.partial in the storage folder, and no server starts on it.
            """
    )

    @OptionGroup var options: StorageOptions

    @Flag(help: "Check the size of each file, but not its SHA-256.")
    var quick = false

    @Argument(help: ArgumentHelp("The folder that a backup made.", valueName: "dir"), completion: .directory)
    var folder: String

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("Name the folder that a backup made.") }
    }

    func run() throws {
        try StorageOptions.complaining {
            let summary = try StorageRestore(of: folder, to: options.path, comparingDigests: !quick).run()
            Terminal.say("Restored \(summary.words) to \(options.path).")
        }
    }
}
