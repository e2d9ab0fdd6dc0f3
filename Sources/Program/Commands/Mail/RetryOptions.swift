internal import ArgumentParser

/// The messages of a queue that a command sends again.
struct RetryOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The ids of messages.", valueName: "id"))
    var ids: [String] = []

    @Flag(help: "Send all dead letters of the app again.")
    var all = false

    /// The ids; `nil` for all dead letters.
    var chosen: [String]? { all ? nil : ids }

    func validate() throws {
        guard ids.isEmpty == all else { throw ValidationError("Name messages by their ids, or all of them by --all.") }
        guard ids.count <= 1000 else { throw ValidationError("At most 1000 ids at once; --all has no limit.") }
    }
}
