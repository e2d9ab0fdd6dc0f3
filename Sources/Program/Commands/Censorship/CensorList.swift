internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

struct CensorList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List files with a verdict, the newest first.",
        discussion: """
            Terminals with Kitty's graphics protocol (Kitty, Ghostty, WezTerm) show a preview of each image. Otherwise \
            the last column is the URL of a preview, which needs no key and expires.

            Examples:
              lcfile censor list --verdict review
              lcfile censor list --verdict rejected --from 7d --json | jq -r .objectId
            """
    )

    @Option(
        help: ArgumentHelp("Only files with this verdict: pending, passed, review, rejected.", valueName: "verdict"),
        completion: .list(["pending", "passed", "review", "rejected"]),
        transform: {
            guard let verdict = Verdict(rawValue: $0) else {
                throw ValidationError("--verdict must be pending, passed, review or rejected.")
            }
            return verdict
        }
    )
    var verdict: Verdict?

    @Option(
        help: ArgumentHelp("Only files created at this time or later.", valueName: "time"),
        transform: TimeArgument.option("--from")
    )
    var from: String?

    @Option(
        help: ArgumentHelp("Only files created before this time.", valueName: "time"),
        transform: TimeArgument.option("--to")
    )
    var to: String?

    @Flag(help: "Show URLs instead of previews.")
    var noPreviews = false

    @OptionGroup
    var list: CensorListOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        let previews = ImagePreviews(allowed: !noPreviews && !list.printing.isOn)
        let table = ReviewTable(isForPeople: Terminal.isOutput, showsURLs: !previews.areOn, style: .output)
        var query = ReviewQuery()
        query.verdict = verdict
        query.from = from
        query.to = to
        let pages = CensorPages(limit: list.bound) { [query] client, count, cursor in
            var query = query
            query.pageSize = count
            return try await client.reviewList(query, cursor: cursor)
        }
        try await server.connect { client in
            try await pages.each(of: client) { states, isFirst in
                guard !list.printing.isOn else { return try JSONLines.print(states) }
                let lines = table.lines(states, showsHeader: isFirst)
                for line in lines.dropLast(states.count) { Terminal.printLine(line) }
                for (state, line) in zip(states, lines.suffix(states.count)) {
                    Terminal.printLine(line)
                    try await previews.show(state, from: client)
                }
            }
        }
    }
}
