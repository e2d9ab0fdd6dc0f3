internal import ArgumentParser
internal import FileClient

struct CensorLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Print the log of verdicts, settings, runs and known images, the newest first.",
        discussion: """
            Examples:
              lcfile censor log --limit 20
              lcfile censor log --all --json > censor-log.jsonl
            """
    )

    @OptionGroup
    var list: CensorListOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        let pages = CensorPages(limit: list.bound) { client, count, cursor in
            try await client.censorLog(limit: count, cursor: cursor)
        }
        try await server.connect { client in
            try await pages.each(of: client) { entries, _ in
                guard !list.printing.isOn else { return try JSONLines.print(entries) }
                for line in Table.lines(entries.map(CensorLogCommand.cells)) { Terminal.printLine(line) }
            }
        }
    }

    /// Time, event, who, file or run, and what happened.
    static func cells(_ entry: CensorLogEntry) -> [String] {
        let change = [entry.before, entry.after].compactMap { $0?.description }.joined(separator: " → ")
        let counts = [("added", entry.added), ("removed", entry.removed)].compactMap { name, count in
            count.flatMap { $0 > 0 ? "\(name) \($0)" : nil }
        }
        let details = [
            entry.verdict?.rawValue, entry.state, change.isEmpty ? nil : change, ReviewTable.text(of: entry.scores),
            entry.reason, entry.note,
        ]
        let who = ReviewTable.decider(entry.kind, entry.by, entry.checker) ?? entry.by
        let what: [String] = details.compactMap(\.self) + counts
        let cells: [String?] = [entry.at, entry.event, who, entry.file ?? entry.run, what.joined(separator: "; ")]
        return cells.map { cell in cell.flatMap { $0.isEmpty ? nil : Terminal.printable($0) } ?? "-" }
    }
}
