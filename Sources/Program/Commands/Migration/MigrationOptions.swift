internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials
internal import Migration

/// What all commands have in common that process many items with a journal.
struct MigrationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The journal, with which the command continues. Default: <source>.lcfile-journal for an import, "
                + "<dir>.lcfile-export-journal for an export, and in the current folder lcfile-import.lcfile-journal "
                + "for a list and lcfile-delete.lcfile-journal for a deletion.",
            valueName: "path"
        ),
        completion: .file()
    )
    var journal: String?

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    @Flag(help: "Try again what failed before.")
    var retryFailed = false

    @Option(
        help: ArgumentHelp("Write a report to a file that ends in .html or .json; can be repeated.", valueName: "path"),
        completion: .file()
    )
    var report: [String] = []

    @Option(help: ArgumentHelp("The maximum number of requests per second.", valueName: "n"))
    var rate: Int?

    func validate() throws {
        guard rate ?? 1 >= 1 else { throw ValidationError("--rate must be at least 1.") }
        for path in report {
            guard MigrationReport.Format(path: path) != nil else {
                throw ValidationError("--report must end in .html or .json, to say which form it has.")
            }
        }
    }

    /// The options of the client for a command.
    func client(_ transfer: TransferOptions) -> FileClientOptions {
        var options = transfer.client(connections: MigrationOptions.connections)
        options.requestsPerSecond = rate
        return options
    }

    /// The number of items at the same time.
    func concurrency(_ transfer: TransferOptions) -> Int { transfer.concurrency ?? MigrationOptions.connections }

    private static let connections = 16

    /// The path of the journal beside a file or folder.
    ///
    /// - Parameters:
    ///   - source: The file or folder.
    ///   - suffix: The end of the journal's name.
    /// - Returns: The path; for the root it is in the current folder.
    static func journal(beside source: String, suffix: String = PathRules.journalSuffix) -> String {
        var path = source
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let name = path.split(separator: "/").last ?? ""
        // A journal in the folder itself would be imported with it.
        if ["", ".", ".."].contains(name) { path = "\(absolute(path))" }
        return (path == "/" ? "lcfile" : path) + suffix
    }

    /// The path from the root, without `.` and `..`.
    static func absolute(_ path: String) -> String {
        let folder = FileManager.default.currentDirectoryPath
        return URL(filePath: path.hasPrefix("/") ? path : "\(folder)/\(path)").standardized.path(percentEncoded: false)
            .trimmingSlash
    }
}

extension String {
    fileprivate var trimmingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
