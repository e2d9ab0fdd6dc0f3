internal import ArgumentParser
internal import Server

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy everything that is kept to a new folder, while the server runs or not.",
        discussion: """
            The folder is made beside itself as DIR.partial and gets its name when all of it is on the disk: a DIR that \
            exists is whole. It holds databases, files and apps.yaml, but not the configuration file. If files of the \
            storage itself are damaged, the backup is made without them and the exit code is 65. If a database is \
            damaged, its pages are copied as they are, the backup cannot be restored, and the exit code is 73.
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
            if let first = summary.firstDamagedDatabase {
                throw StartError.storage(
                    "the database \(first). \(folder) holds its pages as lcfile.sqlite.damaged, the files whose records "
                        + "can be read, and \(CopySummary.count(summary.apps, "whole app")); it cannot be restored before that "
                        + "database is repaired (docs/storage-format.md), so keep the last whole backup"
                )
            }
            if let first = summary.firstDamage {
                throw StartError.incomplete(
                    "the backup is incomplete: it was made without \(CopySummary.count(summary.damaged, "damaged file")), "
                        + "the first: \(first)"
                )
            }
        }
    }
}
