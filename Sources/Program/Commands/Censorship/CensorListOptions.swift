internal import ArgumentParser

/// How much a list contains and how it is printed; every list of `lcfile censor` has these options.
struct CensorListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The maximum number of entries.", valueName: "n"))
    var limit = 50

    @Flag(help: "List all entries.")
    var all = false

    @OptionGroup
    var printing: JSONOption

    /// The maximum number of entries; `nil` for all.
    var bound: Int? { all ? nil : limit }

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
    }
}
