internal import ArgumentParser
internal import FileClient

struct TrashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash",
        abstract: "List, restore and remove deleted files.",
        discussion: """
            All subcommands need the master key. Deleted files go to the trash if trash.keep is set, collected files \
            ('lcfile collect') always; the server removes them when their time is over.

            Examples:
              lcfile trash list
              lcfile trash restore 6b014fd02ccc0416011d10e3
              lcfile trash empty --reason collected
            """,
        subcommands: [TrashList.self, TrashRestore.self, TrashEmpty.self]
    )
}

struct TrashList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the files in the trash, those that were deleted last first.",
        discussion: """
            The columns are the file's objectId, its size, the time of its deletion, until when it can be restored, \
            why it is there, who deleted it, and its name.

            Examples:
              lcfile trash list
              lcfile trash list --all --json | jq -r .file
            """
    )

    @OptionGroup
    var choice: ReasonOption

    @OptionGroup
    var list: CensorListOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        try await server.connect { client in
            var rest = list.bound ?? .max
            var cursor: String?
            var isFirst = true
            repeat {
                let page = try await client.trash(choice.reason, limit: min(rest, 500), cursor: cursor)
                if list.printing.isOn {
                    try JSONLines.print(page.results)
                } else {
                    for line in TrashList.lines(page.results, showsHeader: isFirst) { Terminal.printLine(line) }
                    try ResultOutput.standard.requireWritten()
                }
                isFirst = false
                rest -= page.results.count
                cursor = page.cursor
            } while cursor != nil && rest > 0
        }
    }

    private static func lines(_ files: [TrashedFile], showsHeader: Bool) -> [String] {
        let isForPeople = Terminal.isOutput
        let rows = files.map { file in
            [
                file.file, isForPeople ? Amount.bytes(file.size) : "\(file.size)", file.deletedAt, file.expiresAt,
                file.reason.rawValue, file.by, file.name ?? "-",
            ].map(Terminal.printable)
        }
        guard isForPeople else { return Table.lines(rows) }
        let header = ["FILE", "SIZE", "DELETED", "EXPIRES", "REASON", "BY", "NAME"]
        let lines = Table.lines([header] + rows)
        return (showsHeader && !files.isEmpty ? lines.prefix(1).map(Style.output.bold) : []) + lines.dropFirst()
    }
}

struct TrashRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore files with their ids, keys, URLs, ACLs and metadata.",
        discussion: """
            A file whose objectId or key another file has by now is not restored. Prints the URL of each file.

            Examples:
              lcfile trash restore 6b014fd02ccc0416011d10e3
              lcfile trash list --reason collected --all --json | jq -r .file \\
                | xargs lcfile trash restore
            """
    )

    @Argument(help: ArgumentHelp("objectIds of files, or of entries in the trash.", valueName: "id"))
    var ids: [String]

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        let failures = Failures()
        try await server.connect { client in
            for id in ids {
                do {
                    let file = try await client.restore(id)
                    Terminal.printLine(Terminal.printable(file.url ?? file.objectId))
                } catch let error as FileClientError where error.status == 404 || error.status == 400 {
                    failures.add(id, error)
                }
            }
        }
        for line in failures.lines(of: ids.count, style: .error) { Terminal.printError(line) }
        if failures.count > 0 { throw ExitCode(failures.exitStatus) }
    }
}

struct TrashEmpty: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "empty",
        abstract: "Remove files from the trash for good.",
        discussion: """
            Without ids, all files in the trash or those that the options select. Asks, if standard input is a \
            terminal; otherwise --yes is needed. Prints the number of files.

            Examples:
              lcfile trash empty 6b014fd02ccc0416011d10e3
              lcfile trash empty --deleted-before 7d
              lcfile trash empty --reason collected --yes
            """
    )

    @Argument(help: ArgumentHelp("objectIds of files, or of entries in the trash.", valueName: "id"))
    var ids: [String] = []

    @OptionGroup
    var choice: ReasonOption

    @Option(
        help: ArgumentHelp("Only files that were deleted before this time, or this long ago.", valueName: "time"),
        transform: TimeArgument.option("--deleted-before")
    )
    var deletedBefore: String?

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        guard ids.isEmpty || (choice.reason == nil && deletedBefore == nil) else {
            throw ValidationError("Name files, or select them with --reason and --deleted-before; not both.")
        }
    }

    func run() async throws {
        guard yes || Terminal.isInput else {
            throw ValidationError("Standard input is no terminal to ask at; --yes removes without a question.")
        }
        guard yes || Question.ask("Remove \(what) for good?") else {
            throw ValidationError("Nothing was removed; --yes removes without a question.")
        }
        try await server.connect { client in
            for id in ids { try await client.removeFromTrash(id) }
            var count = ids.count
            if ids.isEmpty { count = try await client.emptyTrash(choice.reason, deletedBefore: deletedBefore) }
            Terminal.printLine(Amount.count(count, "file"))
        }
    }

    private var what: String {
        guard ids.isEmpty else { return Amount.count(ids.count, "file") }
        let isAll = choice.reason == nil && deletedBefore == nil
        return isAll ? "all files in the trash" : "the selected files in the trash"
    }
}

/// The choice of files by the reason why they are in the trash.
struct ReasonOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only files with this reason: deleted or collected.", valueName: "reason"),
        completion: .list(TrashedFile.Reason.allCases.map(\.rawValue)),
        transform: {
            guard let reason = TrashedFile.Reason(rawValue: $0) else {
                throw ValidationError("--reason must be deleted or collected.")
            }
            return reason
        }
    )
    var reason: TrashedFile.Reason?
}
