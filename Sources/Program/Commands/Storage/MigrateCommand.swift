internal import ArgumentParser
internal import Server
internal import Storage

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Move all objects to PostgreSQL, or all files to a bucket, or back; no server must run.",
        discussion: """
            With --to, the database is that of the setting database.url (the configuration file or LCFILE_DATABASE_URL), in both \
            directions. Each app gets a schema in it, or a file in its folder. What was written is read back and \
            compared before it is used. The bytes of files stay where they are. The former database stays under \
            another name until you remove it.

            With --blobs-to, the bytes of files, of the trash and of unfinished uploads move to the bucket of the \
            setting blobs.store, or back into the storage folder. Each file is compared with its digest. The former \
            bytes stay until you remove them. Afterwards, set blobs.store, or remove it.

            A move that was cut off is continued by the same command.

            Exit codes: 0 all apps are moved; 65 files are missing or damaged, and nothing was switched; 73 the \
            storage, a database or the bucket cannot be used, or a server runs; 78 database.url or blobs.store is \
            missing; 2 wrong usage.

            Examples:
              LCFILE_DATABASE_URL=postgres://lcfile@db.example.com/lcfile lcfile migrate --to postgresql
              lcfile migrate --storage /var/lib/lcfile --config /etc/lcfile/lcfile.yaml --to sqlite
              lcfile migrate --config /etc/lcfile/lcfile.yaml --blobs-to bucket
            """
    )

    /// Where the objects go.
    enum Destination: String, CaseIterable, ExpressibleByArgument {
        case postgresql
        case sqlite
    }

    @OptionGroup var options: StorageOptions

    /// Where the bytes of files go.
    enum BlobDestination: String, CaseIterable, ExpressibleByArgument {
        case bucket
        case folder
    }

    @Option(help: "The kind of database to which the objects move.")
    var to: Destination?

    @Option(help: "Where the bytes of files move.")
    var blobsTo: BlobDestination?

    @Flag(help: "With --blobs-to: leave files behind whose bytes are missing or damaged.")
    var leaveDamaged = false

    func validate() throws {
        guard (to == nil) != (blobsTo == nil) else {
            throw ValidationError("One of --to and --blobs-to is needed, and not both.")
        }
        if leaveDamaged, blobsTo == nil { throw ValidationError("--leave-damaged needs --blobs-to.") }
    }

    func run() async throws {
        if let blobsTo { try await moveBlobs(to: blobsTo) }
        if let to { try moveObjects(to: to) }
    }

    private func moveBlobs(to destination: BlobDestination) async throws {
        do {
            let move = try BlobMoves(
                of: options.path,
                destination == .bucket ? .toBucket : .toFolder,
                with: options.loader.load(),
                leavingDamaged: leaveDamaged
            ) { Terminal.printError("lcfile: \($0)") }
            try await move.run { app, outcome in
                switch outcome {
                case .moved(let files, let bytes):
                    let amounts = [CopySummary.count(files, "file"), "\(CopySummary.count(bytes, "byte")) copied"]
                    Terminal.printLine("Moved the files of app \(app): \(amounts.joined(separator: ", ")).")
                case .done: Terminal.printLine("The files of app \(app) are there already.")
                }
            }
        } catch let error as ExitError {
            Terminal.printError("lcfile: \(error)")
            throw ExitCode(error.exitCode)
        }
    }

    private func moveObjects(to destination: Destination) throws {
        try StorageOptions.complaining {
            let configuration = try options.loader.load()
            let engine = try DatabaseMoves(url: configuration.databaseURL, blobs: configuration.blobs)
            let move = StorageMove(
                of: options.path,
                destination == .postgresql ? .toPostgres : .toFiles,
                with: engine,
                adopting: { try engine.adopt($0, $1) },
                report: { Terminal.printError("lcfile: \($0)") }
            )
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
