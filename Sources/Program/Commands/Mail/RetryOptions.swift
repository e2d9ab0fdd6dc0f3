internal import ArgumentParser

/// The messages of a queue that a command sends again.
struct RetryOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The ids of messages.", valueName: "id"))
    var ids: [String] = []

    @Flag(help: "Send all dead letters of the app again.")
    var all = false

    /// The ids; `nil` for all dead letters.
    var chosen: [String]? { all ? nil : ids }

    /// Checks that the server sends each message again that was named.
    ///
    /// - Parameter count: The number of messages that the server sends again.
    /// - Throws: ``UnsentMessages`` if it is smaller than the number of ids.
    func requireEach(_ count: Int) throws {
        let total = Set(ids).count
        guard count >= total else { throw UnsentMessages(count: total - count, total: total) }
    }

    func validate() throws {
        guard ids.isEmpty == all else { throw ValidationError("Name messages by their ids, or all of them by --all.") }
        guard ids.count <= 1000 else { throw ValidationError("At most 1000 ids at once; --all has no limit.") }
    }
}

/// Messages that were named and are not sent again.
struct UnsentMessages: Error, CustomStringConvertible {
    let count: Int
    let total: Int

    var description: String {
        "\(count) of \(Amount.count(total, "message")) not sent again: no longer in the queue, or being sent now"
    }
}
