internal import ArgumentParser
internal import FileClient

struct CensorShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the verdict on a file, with all earlier decisions.",
        discussion: """
            Examples:
              lcfile censor show 6b014fd02ccc0416011d10e3
              lcfile censor show --json 6b014fd02ccc0416011d10e3 | jq .scores
            """
    )

    @Argument(help: ArgumentHelp("The file's objectId.", valueName: "id"))
    var file: String

    @Flag(help: "Show URLs instead of a preview.")
    var noPreviews = false

    @OptionGroup
    var printing: JSONOption

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        let previews = ImagePreviews(allowed: !noPreviews && !printing.isOn)
        try await server.connect { client in
            let state = try await client.censorState(of: file)
            guard !printing.isOn else { return try JSONLines.print([state]) }
            for line in CensorShow.lines(state, showsURL: !previews.areOn, style: .output) { Terminal.printLine(line) }
            try await previews.show(state, from: client)
        }
    }

    /// The state as a table, and its history as another.
    static func lines(_ state: CensorState, showsURL: Bool, style: Style) -> [String] {
        let facts = [
            ("file", state.objectId), ("verdict", state.censorResult?.rawValue ?? "none"),
            ("decided by", ReviewTable.decider(state.decidedBy, state.by, state.checker)),
            ("decided at", state.decidedAt), ("reason", state.reason), ("note", state.note),
            ("scores", ReviewTable.text(of: state.scores)), ("url", state.url),
            ("preview", showsURL ? state.thumbnailURL : nil),
        ]
        let rows = facts.compactMap { name, value in value.map { [name, Terminal.printable($0)] } }
        guard let history = state.history, !history.isEmpty else { return Table.lines(rows) }
        let decisions = history.map { decision in
            [
                decision.at, decision.verdict.rawValue,
                ReviewTable.decider(decision.kind, decision.by, decision.checker),
                ReviewTable.text(of: decision.scores),
                [decision.reason, decision.note].compactMap(\.self).joined(separator: "; "),
            ].map { cell in cell.flatMap { $0.isEmpty ? nil : Terminal.printable($0) } ?? "-" }
        }
        let table = Table.lines([["AT", "VERDICT", "DECIDED BY", "SCORES", "REASON"]] + decisions)
        return Table.lines(rows) + [""] + table.prefix(1).map(style.bold) + table.dropFirst()
    }
}
