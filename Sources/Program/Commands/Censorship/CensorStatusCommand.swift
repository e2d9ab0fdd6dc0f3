internal import ArgumentParser
internal import FileClient

struct CensorStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print which checkers work, and how many checks wait.",
        discussion: """
            Examples:
              lcfile censor status
              lcfile censor status --json
            """
    )

    @OptionGroup
    var printing: JSONOption

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        try await server.connect { client in
            let status = try await client.censorStatus()
            guard !printing.isOn else { return try JSONLines.print([status]) }
            for line in Table.lines(CensorStatusCommand.rows(status)) { Terminal.printLine(line) }
        }
    }

    /// The names and values of the table.
    static func rows(_ status: CensorStatus) -> [[String]] {
        let (waiting, classifier) = (status.waiting, status.classifier)
        return [
            ["new images", status.auto ? "are checked" : "are not checked (auto is off)"],
            ["until then", status.hold ? "they are held back" : "they are served"],
            ["classifier", classifier.available ? "on" : "off: \(classifier.reason ?? "no reason given")"],
            ["webhook", status.webhook ? "on" : "off"], ["purge", status.purge ? "on" : "off"],
            ["known images", "\(status.known)"],
            ["waiting", "\(waiting.new) new, \(waiting.bulk) of runs"],
            ["oldest", status.oldestSeconds.map { Amount.time(Double($0)) } ?? "-"],
        ]
        .map { $0.map(Terminal.printable) }
    }
}
