internal import ArgumentParser
internal import FileClient

struct ConsoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "List and end the sessions of the console.",
        subcommands: [ConsoleSessions.self]
    )
}

struct ConsoleSessions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Print the sessions of the console, or end them.",
        discussion: """
            Needs the master key. Each line has the id, the log-in, the last use, the end at the latest, the rights, the \
            address and the browser. The next call of a session that was ended asks for a log-in; what its reader typed \
            is not lost.

            Examples:
              lcfile console sessions
              lcfile console sessions --end 6b014fd02ccc0416011d10e3
              lcfile console sessions --end-all
            """
    )

    @Option(help: ArgumentHelp("End this session; can be repeated.", valueName: "id"))
    var end: [String] = []

    @Flag(help: "End all sessions of the app, and print their number.")
    var endAll = false

    @OptionGroup
    var printing: JSONOption

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        guard end.isEmpty || !endAll else { throw ValidationError("Use --end or --end-all.") }
        guard end.allSatisfy({ !$0.isEmpty }) else { throw ValidationError("--end must be the id of a session.") }
    }

    func run() async throws {
        try await server.connect { client in
            if endAll {
                Terminal.printLine("\(try await client.endConsoleSessions()) sessions")
            } else if !end.isEmpty {
                for id in end { try await client.endConsoleSession(id) }
            } else {
                let sessions = try await client.consoleSessions()
                guard !printing.isOn else { return try JSONLines.print(sessions) }
                for line in Table.lines(sessions.map(ConsoleSessions.cells)) { Terminal.printLine(line) }
            }
        }
    }

    /// The cells of a session.
    static func cells(_ session: ConsoleLogIn) -> [String] {
        [
            session.objectId, session.createdAt, session.lastUsedAt, session.expiresAt,
            session.readOnly ? "read-only" : "everything", session.address, session.browser,
        ]
        .map(Terminal.printable)
    }
}
