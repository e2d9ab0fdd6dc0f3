internal import ArgumentParser
internal import Server
internal import Storage

struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Move the objects of all apps from SQLite to PostgreSQL, or back; no server must run.",
        discussion: """
            The database is that of the setting database.url (the configuration file or LCFILE_DATABASE_URL), in both \
            directions. Each app gets a schema in it, or a file in its folder. What was written is read back and \
            compared before it is used. The bytes of files stay in the storage folder. A move that was cut off is \
            continued by the same command. The former database stays under another name until you remove it.

            Exit codes: 0 all apps are moved; 73 the storage or a database cannot be used, or a server runs; 78 \
            database.url is missing; 2 wrong usage.

            Examples:
              LCFILE_DATABASE_URL=postgres://lcfile@db.example.com/lcfile lcfile migrate --to postgresql
              lcfile migrate --storage /var/lib/lcfile --config /etc/lcfile/lcfile.yaml --to sqlite
            """
    )

    /// Where the objects go.
    enum Destination: String, CaseIterable, ExpressibleByArgument {
        case postgresql
        case sqlite
    }

    @OptionGroup var options: StorageOptions

    @Option(help: "The kind of database to which the objects move.")
    var to: Destination

    func run() throws {
        try StorageOptions.complaining {
            let engine = try DatabaseMoves(url: options.loader.load().databaseURL)
            let move = StorageMove(
                of: options.path,
                to == .postgresql ? .toPostgres : .toFiles,
                with: engine
            ) { Terminal.printError("lcfile: \($0)") }
            try move.run { app, outcome in
                switch outcome {
                case .moved(let objects):
                    Terminal.printLine("Moved \(CopySummary.count(objects, "object")) of app \(app).")
                case .done: Terminal.printLine("The objects of app \(app) are there already.")
                }
            }
        }
    }
}
