internal import ArgumentParser
internal import FileClient
internal import Glibc

struct CollectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collect",
        abstract: "Find files that no object refers to, and move them to the trash.",
        discussion: """
            Lists the files and changes nothing; with --apply, moves them to the trash, where they stay for \
            trash.keepCollected seconds and can be restored ('lcfile trash restore'). Nothing is deleted at once. The \
            server reads all objects; its memory stays small, and writers do not wait.

            A file is found if it was created and last changed at least --unused-for ago, and nothing refers to it \
            now: no pointer, no value of type File and no relation, also inside arrays and objects, and no URL in a \
            string. Files that are only used outside of lcfile, on a web page for example, are found as well. Needs \
            the master key.

            Examples:
              lcfile collect --unused-for 30d
              lcfile collect --unused-for 90d --ignore-class Log --json
              lcfile collect --unused-for 30d --field Page.coverId --apply
            """
    )

    @Option(
        help: ArgumentHelp("The age that a file has at least, such as 30d or 12h; an hour or more.", valueName: "time"),
        transform: { text in
            guard let seconds = Amount.seconds(text), seconds >= 3600, seconds <= 315_360_000 else {
                throw ValidationError("--unused-for must be a time such as 30d or 12h, from 1h to 3650d.")
            }
            return Int(seconds)
        }
    )
    var unusedFor: Int

    @Option(help: ArgumentHelp("A class whose objects do not count; can be repeated.", valueName: "class"))
    var ignoreClass: [String] = []

    @Option(help: ArgumentHelp("A field that does not count, as Class.field; can be repeated.", valueName: "field"))
    var ignoreField: [String] = []

    @Option(
        help: ArgumentHelp(
            "A field, as Class.field, whose strings are objectIds or keys of files; can be repeated.",
            valueName: "field"
        )
    )
    var field: [String] = []

    @Flag(help: "URLs in strings do not count.")
    var ignoreUrls = false

    @Flag(help: "Move the files to the trash.")
    var apply = false

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        var order = CollectionOrder(unusedFor: unusedFor)
        order.ignoreClasses = ignoreClass
        order.ignoreFields = ignoreField
        order.fields = field
        order.urls = !ignoreUrls
        let display = CollectionDisplay(output, applies: apply)
        try await server.connect { [order, apply] client in
            let id = try await client.beginCollection(order)
            var progress: CollectionProgress
            repeat {
                progress = try await client.scan(id)
                display.show(progress)
            } while !progress.complete
            display.clear()
            var sums = CollectionSums()
            var cursor: String?
            repeat {
                let page =
                    apply
                    ? try await client.collect(id, cursor: cursor)
                    : try await client.files(ofCollection: id, cursor: cursor)
                try display.show(page.results, isFirst: sums.files == 0)
                sums.add(page)
                cursor = page.cursor
            } while cursor != nil
            try await client.endCollection(id)
            display.end(sums, of: progress)
        }
    }
}

/// What a collection found.
struct CollectionSums {
    private(set) var files = 0
    private(set) var bytes: Int64 = 0
    /// The files to which an object began to refer meanwhile.
    private(set) var saved = 0

    mutating func add(_ page: CollectionPage) {
        files += page.results.count
        bytes += page.results.reduce(0) { $0 + $1.size }
        saved += page.saved ?? 0
    }
}

/// Shows a collection: files on standard output, the progress and the sums on standard error.
struct CollectionDisplay {
    private let printsJSON: Bool
    private let isQuiet: Bool
    private let applies: Bool

    init(_ output: OutputOptions, applies: Bool) {
        printsJSON = output.json
        isQuiet = output.quiet
        self.applies = applies
    }

    func show(_ progress: CollectionProgress) {
        guard !isQuiet, Terminal.showsProgress else { return }
        let share = progress.total > 0 ? min(100, progress.scanned * 100 / progress.total) : 100
        let line = "\(share)%  \(progress.scanned)/\(Amount.count(progress.total, "object")) read"
        Terminal.write("\r\(Columns.shortened(line, to: Terminal.width - 1))\u{1B}[K", to: STDERR_FILENO)
    }

    func clear() {
        guard !isQuiet, Terminal.showsProgress else { return }
        Terminal.write("\r\u{1B}[K", to: STDERR_FILENO)
    }

    func show(_ files: [CollectedFile], isFirst: Bool) throws {
        guard !printsJSON else { return try JSONLines.print(files) }
        guard !isQuiet, !files.isEmpty else { return }
        let isForPeople = Terminal.isOutput
        let rows = files.map { file in
            let size = isForPeople ? Amount.bytes(file.size) : "\(file.size)"
            return [file.objectId, size, file.createdAt, file.name, file.url].map(Terminal.printable)
        }
        let head = isForPeople ? [["FILE", "SIZE", "CREATED", "NAME", "URL"]] : []
        let lines = Table.lines(head + rows)
        for line in isFirst ? lines : Array(lines.dropFirst(head.count)) { Terminal.printLine(line) }
        try ResultOutput.standard.requireWritten()
    }

    func end(_ sums: CollectionSums, of progress: CollectionProgress) {
        guard !isQuiet else { return }
        let files = "\(Amount.count(sums.files, "file")), \(Amount.bytes(sums.bytes))"
        let objects = Amount.count(progress.scanned, "object")
        guard applies else {
            let hint = sums.files > 0 ? "; --apply moves them to the trash" : ""
            return Terminal.printError("lcfile: \(files), to which none of \(objects) refers\(hint)")
        }
        let saved = sums.saved > 0 ? "; \(Amount.count(sums.saved, "file")) came into use meanwhile and stays" : ""
        Terminal.printError("lcfile: \(files) moved to the trash\(saved)")
    }
}
