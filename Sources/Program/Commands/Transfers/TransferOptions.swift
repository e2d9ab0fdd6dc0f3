internal import ArgumentParser
internal import FileClient

/// How a command transfers.
struct TransferOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The maximum number of requests at the same time; fewer while the server is busy. Default: 4 for upload, get "
                + "and thumbnail, 16 for import, export, delete and censor.",
            valueName: "n"
        )
    )
    var concurrency: Int?

    @Option(
        name: .customLong("bandwidth"),
        help: ArgumentHelp(
            "The maximum rate of all transfers together per second, such as 500K or 10M.",
            valueName: "size"
        ),
        transform: {
            guard let bytes = Amount.parse($0), bytes > 0 else {
                throw ValidationError("--bandwidth must be a size such as 500K or 10M.")
            }
            return bytes
        }
    )
    var bandwidth: Int?

    @Option(help: ArgumentHelp("The number of further attempts after a temporary error.", valueName: "n"))
    var retries = 7

    func validate() throws {
        guard (1...64).contains(concurrency ?? 4) else { throw ValidationError("--concurrency must be 1 to 64.") }
        guard (0...1000).contains(retries) else { throw ValidationError("--retries must be 0 to 1000.") }
    }

    /// The number of transfers at the same time of commands that transfer a few files.
    var connections: Int { concurrency ?? 4 }

    /// The options of the client.
    var client: FileClientOptions { client(connections: connections) }

    /// The options of a client with another default number of connections.
    func client(connections: Int) -> FileClientOptions {
        var options = FileClientOptions()
        options.connections = concurrency ?? connections
        options.bandwidth = bandwidth
        options.retries.attempts = retries + 1
        return options
    }
}

/// What a command prints.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, one object on each line.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print errors only: no results, no progress.")
    var quiet = false
}
