internal import ArgumentParser
internal import Server
internal import Storage

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the storage folder for damage, while the server runs or not, and repair it.",
        discussion: """
            The command compares records with blobs in both directions, checks the pages and rows of the databases, the \
            usage, references to files, staged bytes and derivatives. It changes nothing without --repair.

            --repair needs a stopped server. It moves blobs of no record and staged leftovers to lost+found in the \
            app's folder, counts the usage anew, and rebuilds damaged indexes. It never changes records whose bytes are \
            missing or damaged, because a backup can have them.

            Exit codes: 0 nothing is damaged, or all damage is repaired; 65 damage was found; 73 something could not be \
            checked, or a server runs during a repair; 2 wrong usage; 130 interrupted.

            Examples:
              lcfile check
              lcfile check --read-data
              lcfile check --subset 7/30 --json
              lcfile check --repair
            """
    )

    @OptionGroup var options: StorageOptions

    @Flag(help: "Read all blobs and derivatives and compare them with their digests.")
    var readData = false

    @Option(
        help: ArgumentHelp(
            "Read only a part of the blobs: 7/30 is the seventh of thirty, which together are all. Implies --read-data.",
            valueName: "n/m"
        )
    )
    var subset: String?

    @Flag(help: "Repair what was found; the server must not run.")
    var `repair` = false

    @Flag(help: "With --repair: accept damaged rows as they are, so that they are read again.")
    var acceptRows = false

    @Flag(help: "With --repair: remove damaged rows; their objects are lost.")
    var removeRows = false

    @OptionGroup var printing: JSONOption

    func validate() throws {
        if let subset, CheckSubset(subset) == nil {
            throw ValidationError("--subset is '\(subset)'; it must be N/M, with N from 1 to M and M up to 10000.")
        }
        if acceptRows || removeRows, !`repair` {
            throw ValidationError("--\(acceptRows ? "accept" : "remove")-rows needs --repair.")
        }
        if acceptRows, removeRows { throw ValidationError("--accept-rows and --remove-rows exclude each other.") }
    }

    func run() async throws {
        options.keepTemporaryFiles()
        var checking = CheckOptions()
        checking.readsData = readData || subset != nil
        if let subset, let parsed = CheckSubset(subset) { checking.subset = parsed }
        checking.repairs = `repair`
        checking.damagedRows = removeRows ? .removed : acceptRows ? .accepted : .kept
        do {
            let display = CheckDisplay(isJSON: printing.isOn)
            // Ctrl-C ends the process at once: each step of a repair is whole by itself.
            let summary = try await display.show { observer in
                try await StorageCheck(of: options.path, with: options.engine, checking, observer).run()
            }
            display.end(with: summary)
            if summary.damage > 0 { throw ExitCode(CheckDisplay.damaged) }
        } catch let error as ExitError {
            Terminal.printError("lcfile: \(error)")
            throw ExitCode(error.exitCode)
        }
    }
}
