internal import ArgumentParser
internal import FoundationEssentials
internal import Server
internal import Storage

/// The storage folder of a command, and the settings with which its databases and backups are found.
struct StorageOptions: ParsableArguments {
    @Option(help: "The storage folder. Default: LCFILE_STORAGE, otherwise 'storage'.", completion: .directory)
    var storage: String?

    @Option(
        help: """
            The configuration file, for database.url, blobs.* and backup.s3.*, if the storage has its objects in \
            PostgreSQL, its blobs in a bucket or a bucket its backups. Default: config/lcfile.yaml.
            """,
        completion: .file(extensions: ["yaml", "yml"])
    )
    var config: String?

    func validate() throws {
        guard storage != "" else { throw ValidationError("--storage must not be empty.") }
        guard config != "" else { throw ValidationError("--config must not be empty.") }
    }

    /// The folder's path.
    var path: String {
        storage ?? StorageOptions.folder(in: ProcessInfo.processInfo.environment)
    }

    /// The folder's path without an option; an empty variable counts as not set.
    static func folder(in environment: [String: String]) -> String {
        environment["LCFILE_STORAGE"].flatMap { $0.isEmpty ? nil : $0 } ?? "storage"
    }

    /// Loads the settings; keys come from the file or from the environment, never from arguments.
    var loader: ConfigurationLoader {
        ConfigurationLoader(environment: ProcessInfo.processInfo.environment, file: config ?? Serve.defaultFile)
    }

    /// Reads and writes the databases and blobs of the folder.
    var engine: FolderEngine {
        FolderEngine { [loader] in
            try loader.load(for: .storage).databaseURL
        } blobs: { [loader] in
            try loader.load(for: .storage).blobs
        }
    }

    /// Sets where the temporary files of databases are; call it before the command opens one.
    func keepTemporaryFiles() { TemporaryFiles.keep(besides: path) }

    /// Runs a command's work; prints an error to standard error and ends the command with its exit code.
    static func complaining(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as ExitError {
            Terminal.printError("lcfile: \(error)")
            throw ExitCode(error.exitCode)
        }
    }
}

extension CopySummary {
    /// The last line of a command: "1 app, 20 files, 4096 bytes".
    var description: String {
        [CopySummary.count(apps, "app"), CopySummary.count(files, "file"), CopySummary.count(bytes, "byte")]
            .joined(separator: ", ")
    }

    /// Throws the error of a copy, such as "the backup", that lacks files or has damaged rows.
    func requireComplete(_ copy: String) throws(ExitError) {
        var faults: [String] = []
        if let firstDamage {
            let files = CopySummary.count(damaged, "damaged file")
            faults.append("is incomplete: it does not contain \(files); the first: \(firstDamage)")
        }
        if lacking > 0 {
            let files = CopySummary.count(lacking, "file")
            let hint = completeMoment.map { "; the newest state without damage is of \($0) (--at \($0))" } ?? ""
            faults.append("is incomplete: the backup lacks \(files), because of damage when it was made\(hint)")
        }
        if let firstDamagedRow {
            let rows = CopySummary.count(damagedRows, "damaged row")
            let effect = "which a server does not serve (docs/check.md)"
            faults.append("contains \(rows), \(effect); the first: \(firstDamagedRow)")
        }
        guard !faults.isEmpty else { return }
        throw ExitError.incomplete("\(copy) \(faults.joined(separator: "; it "))")
    }

    static func count(_ number: some BinaryInteger, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}
