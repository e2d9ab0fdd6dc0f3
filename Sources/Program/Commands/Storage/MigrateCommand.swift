internal import ArgumentParser
internal import FoundationEssentials
internal import Server
internal import Storage

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Move all objects to PostgreSQL, or all files to a bucket, or back.",
        discussion: """
            With --to, the database is that of the setting database.url (the configuration file or LCFILE_DATABASE_URL), in both \
            directions. Each app gets a schema in it, or a file in its folder. What was written is read back and \
            compared before it is used. The bytes of files stay where they are. The former database stays under \
            another name until you remove it.

            With --blobs-to, the bytes of files, of the trash and of unfinished uploads move to the bucket of the \
            setting blobs.store, or back into the storage folder. Each file is compared with its digest. The former \
            bytes stay until you remove them. Afterwards, set blobs.store, or remove it. With --from, they move from \
            the bucket of another configuration file.

            No server must run, but with --copy-only: that copies objects or bytes as they are at the moment, while \
            servers run, and switches nothing. Repeat it as often as you like. Then stop the servers and run the command \
            without it: it compares all, brings what has changed since, and switches.

            A move that was cut off is continued by the same command.

            Exit codes: 0 all apps are moved; 65 files are missing or damaged, and nothing was switched; 73 the \
            storage, a database or a bucket cannot be used, or a server or another move runs; 78 database.url or blobs.store is \
            missing; 2 wrong usage.

            Examples:
              LCFILE_DATABASE_URL=postgres://lcfile@db.example.com/lcfile \\
                lcfile migrate --to postgresql
              lcfile migrate --storage /var/lib/lcfile \\
                --config /etc/lcfile/lcfile.yaml --to sqlite
              lcfile migrate --config /etc/lcfile/lcfile.yaml --to postgresql --copy-only
              lcfile migrate --config /etc/lcfile/lcfile.yaml --blobs-to bucket \\
                --copy-only
              lcfile migrate --config new.yaml --from /etc/lcfile/lcfile.yaml \\
                --blobs-to bucket
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

    @Option(
        help: """
            With --blobs-to bucket: the configuration file with the bucket in which the bytes are now. LCFILE_BLOBS_… in \
            the environment are for the other one.
            """,
        completion: .file(extensions: ["yaml", "yml"])
    )
    var from: String?

    @Flag(help: "Only copy, while servers run, and switch nothing.")
    var copyOnly = false

    @Flag(help: "With --blobs-to: leave files behind whose bytes are missing or damaged.")
    var leaveDamaged = false

    func validate() throws {
        guard (to == nil) != (blobsTo == nil) else {
            throw ValidationError("One of --to and --blobs-to is needed, and not both.")
        }
        if from != nil, blobsTo != .bucket { throw ValidationError("--from needs --blobs-to bucket.") }
        if leaveDamaged, blobsTo == nil { throw ValidationError("--leave-damaged needs --blobs-to.") }
    }

    func run() async throws {
        options.keepTemporaryFiles()
        if let blobsTo { try await moveBlobs(to: blobsTo) }
        if let to { try moveObjects(to: to) }
    }

    private func moveBlobs(to destination: BlobDestination) async throws {
        do {
            var moveOptions = BlobMoves.Options()
            moveOptions.copyOnly = copyOnly
            moveOptions.leavesDamaged = leaveDamaged
            let move = try BlobMoves(
                of: options.path,
                direction(to: destination),
                with: options.loader.load(for: .storage),
                moveOptions
            ) { Terminal.printError("lcfile: \($0)") }
            try await move.run { app, outcome in
                func amounts(_ files: Int, _ bytes: Int64) -> String {
                    "\(CopySummary.count(files, "file")), \(CopySummary.count(bytes, "byte")) copied"
                }
                switch outcome {
                case .moved(let files, let bytes):
                    Terminal.printLine("Moved the files of app \(app): \(amounts(files, bytes)).")
                case .copied(let files, let bytes):
                    let copied = amounts(files, bytes)
                    Terminal.printLine("Copied the files of app \(app): \(copied); nothing was switched.")
                case .done: Terminal.printLine("The files of app \(app) are there already.")
                }
            }
        } catch let error as ExitError {
            Terminal.printError("lcfile: \(error)")
            throw ExitCode(error.exitCode)
        }
    }

    private func direction(to destination: BlobDestination) throws -> BlobMoves.Direction {
        guard let from else { return destination == .bucket ? .toBucket : .toFolder }
        let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("LCFILE_BLOBS_") }
        return .fromBucket(try ConfigurationLoader(environment: environment, file: from).load(for: .storage).blobs)
    }

    private func moveObjects(to destination: Destination) throws {
        try StorageOptions.complaining {
            let configuration = try options.loader.load(for: .storage)
            let engine = try DatabaseMoves(url: configuration.databaseURL, blobs: configuration.blobs)
            let move = StorageMove(
                of: options.path,
                destination == .postgresql ? .toPostgres : .toFiles,
                copyOnly ? .copy : .move,
                with: engine,
                adopting: { try engine.adopt($0, $1) },
                report: { Terminal.printError("lcfile: \($0)") }
            )
            try move.run { app, outcome in
                switch outcome {
                case .moved(let objects):
                    Terminal.printLine("Moved \(CopySummary.count(objects, "object")) of app \(app).")
                case .copied(let objects):
                    let copied = CopySummary.count(objects, "object")
                    Terminal.printLine("Copied \(copied) of app \(app); nothing was switched.")
                case .done: Terminal.printLine("The objects of app \(app) are there already.")
                }
            }
        }
    }
}
