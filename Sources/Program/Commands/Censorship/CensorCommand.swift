internal import ArgumentParser

struct CensorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "censor",
        abstract: "Review, pass and block images; check them in bulk; read and change how they are checked.",
        discussion: """
            All subcommands need the master key. Times are a date such as 2026-11-21 (0:00 UTC), a time such as \
            2026-11-21T08:00:00Z, or an age such as 90d, 12h or 30m.

            Examples:
              lcfile censor list --verdict review
              lcfile censor block 6b014fd02ccc0416011d10e3 --note 'reported by a user'
              lcfile censor settings auto=true
              lcfile censor run --from 2026-01-01
            """,
        subcommands: [
            CensorList.self, CensorShow.self, CensorPass.self, CensorBlock.self, CensorCheck.self,
            CensorRunCommand.self, CensorSettings.self, CensorLogCommand.self, CensorKnown.self,
            CensorStatusCommand.self,
        ]
    )
}

/// The person in whose name a command decides.
struct PersonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name for the log. Default: the name of the login.", valueName: "name"))
    var by: String?

    /// The name; `nil` if none was given and the login has none.
    var name: String? { by ?? LoginName.current }
}
