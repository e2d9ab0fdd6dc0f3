internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials
internal import Migration

/// A running app of LeanCloud as the source of an import.
struct SourceAppOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Import from a running app: the URL of its server.", valueName: "url"))
    var from: String?

    @Option(help: ArgumentHelp("The id of the running app.", valueName: "id"))
    var sourceAppID: String?

    @Option(
        help: ArgumentHelp(
            "A file with the running app's master key. Default: LEANCLOUD_MASTER_KEY.",
            valueName: "path"
        ),
        completion: .file()
    )
    var sourceKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "An export with the users of the running app: only exports have their passwords and sessions.",
            valueName: "export"
        ),
        completion: .file()
    )
    var users: String?

    func validate() throws {
        if let from {
            guard from.hasPrefix("http://") || from.hasPrefix("https://") else {
                throw ValidationError("--from must begin with http:// or https://.")
            }
            guard sourceAppID != nil else { throw ValidationError("--from needs --source-app-id.") }
        } else if sourceAppID != nil || sourceKeyFile != nil || users != nil {
            throw ValidationError("--source-app-id, --source-key-file and --users need --from.")
        }
    }

    /// The client of the running app.
    func client(_ options: FileClientOptions) throws -> FileClient {
        let environment = ProcessInfo.processInfo.environment
        var key = environment["LEANCLOUD_MASTER_KEY"] ?? ""
        if let sourceKeyFile {
            guard let text = try? String(contentsOfFile: sourceKeyFile, encoding: .utf8) else {
                throw UsageError("the key file \(sourceKeyFile) cannot be read")
            }
            key = text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        }
        guard !key.isEmpty else {
            throw UsageError("set LEANCLOUD_MASTER_KEY, or name a file with the running app's key: --source-key-file")
        }
        return FileClient(server: from ?? "", appID: sourceAppID ?? "", appKey: key + ",master", options: options)
    }
}

/// The folder beside the journal with what was read from a running app, and until when each class is imported.
///
/// A verification has a download of its own, because that of an import can lack objects that have not changed.
struct SourceSpool: Sendable {
    /// The overlap of two runs: changes can become visible after later ones.
    private static let overlap = 600.0
    private static let watermarks = "watermarks.json"
    private let folder: String

    /// Creates the folder if it does not exist.
    ///
    /// - Parameters:
    ///   - journal: The path of the journal.
    ///   - isVerification: Whether the app is compared, not imported.
    /// - Throws: ``UsageError`` if the folder cannot be created.
    init(beside journal: String, forVerification isVerification: Bool = false) throws {
        folder = journal + ".source" + (isVerification ? "/verification" : "")
        do {
            try FileManager.default.createDirectory(atPath: folder + "/export", withIntermediateDirectories: true)
        } catch {
            throw UsageError("the folder \(folder) cannot be created")
        }
        // Earlier versions stored one time for all classes, also after failures, so everything is read again.
        if text("since") != nil {
            try? FileManager.default.removeItem(atPath: folder + "/begun")
            try? FileManager.default.removeItem(atPath: folder + "/since")
        }
    }

    /// The folder with the objects.
    var export: String { folder + "/export" }

    /// The times from which on the next run takes changes, by class; a class that was never complete has none.
    var starts: [String: String] {
        guard let stored = text(SourceSpool.watermarks), let times = try? JSON(parsing: stored) else { return [:] }
        return (times.members ?? [:]).compactMapValues(\.string)
    }

    /// Whether there is a download whose import has not ended; it lacks what has changed since it began.
    var isUnfinished: Bool { text("begun") != nil }

    /// Begins a download at a time of the source, unless one is unfinished, whose files and time stay.
    func begin(at time: String?) throws {
        // An import changes what an unfinished verification has to find.
        try? FileManager.default.removeItem(atPath: folder + "/verification")
        guard !isUnfinished else { return }
        try? FileManager.default.removeItem(atPath: export)
        try FileManager.default.createDirectory(atPath: export, withIntermediateDirectories: true)
        try store(time ?? "", "begun")
    }

    /// Notes that the download is imported.
    ///
    /// - Parameter classNames: The classes of which everything is imported; the next run reads the others from the
    ///   same time as this one.
    /// - Throws: An error if the folder cannot be written.
    func end(completing classNames: [String]) throws {
        guard let begun = text("begun") else { return }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        if let time = try? Date(begun, strategy: style) {
            let start = time.addingTimeInterval(-SourceSpool.overlap).formatted(style)
            var times = starts
            for name in classNames { times[name] = start }
            try store(JSON.object(times.mapValues(JSON.string)).description, SourceSpool.watermarks)
        }
        try FileManager.default.removeItem(atPath: folder + "/begun")
    }

    /// Removes the download of a verification, so that the next one reads the app again.
    func discard() throws {
        try FileManager.default.removeItem(atPath: folder)
    }

    private func text(_ name: String) -> String? { try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) }

    private func store(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"), options: .atomic)
    }
}
