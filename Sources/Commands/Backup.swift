internal import ArgumentParser
internal import Server

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy everything that is kept to a new folder, while the server runs or not.",
        discussion: """
            The folder is made beside itself as DIR.partial and gets its name when all of it is on the disk: a DIR that \
            exists is whole. It holds databases, files and apps.yaml, but not the configuration file. If files of the \
            storage itself are damaged, the backup is made without them and the exit code is 73.
            """
    )

    @OptionGroup var options: StorageOptions

    @Argument(help: ArgumentHelp("The folder to make; it must not exist.", valueName: "dir"), completion: .directory)
    var folder: String

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("Name the folder to make.") }
    }

    func run() throws {
        try StorageOptions.complaining {
            let summary = try StorageBackup(of: options.path, to: folder).run()
            Terminal.say("Backed up \(summary.words) to \(folder).")
            if summary.deleted > 0 {
                Terminal.say("Left out what was deleted meanwhile: \(CopySummary.count(summary.deleted, "file")).")
            }
            if let first = summary.firstDamage {
                throw StartError.storage(
                    "the backup was made without \(CopySummary.count(summary.damaged, "damaged file")), the first: \(first)"
                )
            }
        }
    }
}
