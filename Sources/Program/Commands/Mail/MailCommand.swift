internal import ArgumentParser
internal import FileClient

struct MailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail",
        abstract: "List mails that were not delivered yet, and send dead letters again.",
        discussion: """
            Both subcommands need the master key. A mail that cannot be delivered is tried again by itself; after \
            mail.giveUpAfter seconds, or when the mail server refuses it for good, it becomes a dead letter.

            Examples:
              lcfile mail list
              lcfile mail list --dead
              lcfile mail retry --all
            """,
        subcommands: [MailList.self, MailRetry.self]
    )
}

struct MailList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the mails that wait, those that are due first.",
        discussion: """
            Each line has the id, the time when the mail was caused, its state, what it is for, the recipient, the \
            number of failed attempts, and why the last one failed.

            Examples:
              lcfile mail list
              lcfile mail list --dead --json
            """
    )

    @Flag(help: "Print dead letters instead: mails that are not sent again by themselves.")
    var dead = false

    @Option(help: ArgumentHelp("The maximum number of mails, 1 to 1000.", valueName: "count"))
    var limit = 100

    @OptionGroup
    var printing: JSONOption

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be from 1 to 1000.") }
    }

    func run() async throws {
        try await server.connect { client in
            let mails = try await client.mails(dead ? .dead : .waiting, limit: limit)
            guard !printing.isOn else { return try JSONLines.print(mails) }
            for line in Table.lines(mails.map(MailList.cells)) { Terminal.printLine(line) }
        }
    }

    /// The cells of a mail.
    static func cells(_ mail: Mail) -> [String] {
        [
            mail.objectId, mail.createdAt, mail.state.rawValue, mail.purpose, mail.to, String(mail.attempts),
            mail.failure ?? "-",
        ]
        .map(Terminal.printable)
    }
}

struct MailRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Send mails again at once.",
        discussion: """
            The links in them are new and valid from now on. Mails of users who have changed their address or password \
            since are dropped. Prints the number of mails. The exit code is 1 if a mail that was named is not sent again.

            Examples:
              lcfile mail retry 6b014fd02ccc0416011d10e3
              lcfile mail retry --all
            """
    )

    @OptionGroup
    var messages: RetryOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        try await server.connect { client in
            let count = try await client.retryMails(messages.chosen)
            Terminal.printLine(Amount.count(count, "mail"))
            try messages.requireEach(count)
        }
    }
}
