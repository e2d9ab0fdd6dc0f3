internal import ArgumentParser
internal import FileClient

struct SMSCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sms",
        abstract: "List SMS that were not delivered yet and valid codes, and send dead letters again.",
        discussion: """
            Both subcommands need the master key. An SMS that cannot be delivered is tried again by itself; when its code \
            has ended, after sms.giveUpAfter seconds, or when the gateway refuses it for good, it becomes a dead letter.

            Examples:
              lcfile sms list
              lcfile sms list --codes
              lcfile sms retry --all
            """,
        subcommands: [SMSList.self, SMSRetry.self]
    )
}

struct SMSList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the SMS that wait, those that are due first.",
        discussion: """
            Each line has the id, the time when the SMS was caused, its state, what its code is for, the number, the \
            number of failed attempts, and why the last one failed. With --codes each line has the id of a valid code, \
            the time of its request, what it is for, the number, the number of wrong tries, when it ends, and the code \
            itself if the server shows it: with sms.provider log, and for numbers with fixed codes.

            Examples:
              lcfile sms list
              lcfile sms list --dead --json
              lcfile sms list --codes
            """
    )

    @Flag(help: "Print dead letters instead: SMS that are not sent again by themselves.")
    var dead = false

    @Flag(help: "Print the codes that are valid instead.")
    var codes = false

    @Option(help: ArgumentHelp("The maximum number of lines, 1 to 1000.", valueName: "count"))
    var limit = 100

    @OptionGroup
    var printing: JSONOption

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be from 1 to 1000.") }
        guard !dead || !codes else { throw ValidationError("Use --dead or --codes.") }
    }

    func run() async throws {
        try await server.connect { client in
            guard !codes else {
                let codes = try await client.smsCodes(limit: limit)
                guard !printing.isOn else { return try JSONLines.print(codes) }
                for line in Table.lines(codes.map(SMSList.cells)) { Terminal.printLine(line) }
                return
            }
            let messages = try await client.sms(dead ? .dead : .waiting, limit: limit)
            guard !printing.isOn else { return try JSONLines.print(messages) }
            for line in Table.lines(messages.map(SMSList.cells)) { Terminal.printLine(line) }
        }
    }

    /// The cells of an SMS.
    static func cells(_ sms: SMS) -> [String] {
        [
            sms.objectId, sms.createdAt, sms.state.rawValue, sms.purpose, sms.to, String(sms.attempts),
            sms.failure ?? "-",
        ]
        .map(Terminal.printable)
    }

    /// The cells of a code.
    static func cells(_ code: SMSCode) -> [String] {
        [
            code.objectId, code.createdAt, code.purpose, code.to, String(code.tries), code.expiresAt, code.code ?? "-",
        ]
        .map(Terminal.printable)
    }
}

struct SMSRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Send SMS again at once.",
        discussion: """
            The codes in them are new and valid from now on, unless the number got a later SMS. SMS of users who have \
            changed their number or password since are dropped. Prints the number of SMS. The exit code is 1 if an SMS \
            that was named is not sent again.

            Examples:
              lcfile sms retry 6b014fd02ccc0416011d10e3
              lcfile sms retry --all
            """
    )

    @OptionGroup
    var messages: RetryOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        try await server.connect { client in
            let count = try await client.retrySMS(messages.chosen)
            Terminal.printLine("\(count) SMS")
            try messages.requireEach(count)
        }
    }
}
