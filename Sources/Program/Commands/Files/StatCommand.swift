internal import ArgumentParser
internal import FileClient

struct StatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat",
        abstract: "Print the records of files: name, size, hash, type, dates.",
        discussion: """
            Examples:
              lcfile stat 6b014fd02ccc0416011d10e3
              lcfile stat --json EKWh3RrPianRe7qe3Lf0hXSA7RPYeijO.jpg
            """
    )

    @Argument(help: ArgumentHelp("Files by objectId, key or URL.", valueName: "file"))
    var files: [String]

    @Flag(help: "Print JSON, one object on each line.")
    var json = false

    @Flag(help: "Use the master key, which ignores permissions.")
    var master = false

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        try await EachFile(files, server, master: master).print { record, position in
            if json { return [JSON.object(record.fields).description] }
            return (position == 0 ? [] : [""]) + Table.lines(StatCommand.rows(record))
        }
    }

    /// Two columns: the members that every file has in one order, then the others by name.
    static func rows(_ record: FileRecord) -> [[String]] {
        let first = ["objectId", "name", "url", "key", "mime_type", "createdAt", "updatedAt"]
        var rows = first.compactMap { name in record[name].map { [name, Terminal.printable($0)] } }
        if let size = record.size { rows.append(["size", "\(size) (\(Amount.bytes(size)))"]) }
        if let checksum = record.checksum { rows.append(["md5", checksum]) }
        for (name, value) in record.fields.sorted(by: { $0.key < $1.key }) where !first.contains(name) {
            if name == "metaData", case .object(let members) = value {
                let known = ["size", "_checksum"]
                for (name, value) in members.sorted(by: { $0.key < $1.key }) where !known.contains(name) {
                    rows.append(["metaData.\(Terminal.printable(name))", Terminal.printable(value.description)])
                }
            } else {
                rows.append([Terminal.printable(name), Terminal.printable(value.description)])
            }
        }
        return rows
    }
}

struct URLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Print the public URLs of files, one on each line.",
        discussion: """
            Examples:
              lcfile url 6b014fd02ccc0416011d10e3
              lcfile url --save-as report.pdf 6b014fd02ccc0416011d10e3
            """
    )

    @Argument(help: ArgumentHelp("Files by objectId, key or URL.", valueName: "file"))
    var files: [String]

    @Option(help: ArgumentHelp("The name under which browsers save the file.", valueName: "name"))
    var saveAs: String?

    @Flag(help: "Use the master key, which ignores permissions.")
    var master = false

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        try await EachFile(files, server, master: master).print { record, _ in
            guard let url = record.url else { throw NoSuchFile(description: "the record has no URL") }
            return [saveAs.map { "\(url)?attname=\(FileClient.percentEncoded($0))" } ?? url]
        }
    }
}

/// Looks files up one after the other and prints lines for each; a file that fails does not stop the others.
struct EachFile {
    private let files: [String]
    private let server: ServerOptions
    private let key: ServerOptions.Key

    init(_ files: [String], _ server: ServerOptions, master: Bool) {
        self.files = files
        self.server = server
        key = master ? .master : .app
    }

    /// Prints the lines of each file.
    ///
    /// - Throws: `ExitCode` if a file failed.
    func print(_ lines: (_ record: FileRecord, _ position: Int) throws -> [String]) async throws {
        let failures = Failures()
        try await server.connect(with: key) { client in
            for (position, file) in files.enumerated() {
                do {
                    let record = try await FileArgument(file).record(on: client)
                    for line in try lines(record, position) { Terminal.printLine(line) }
                } catch {
                    failures.add(file, error)
                    if let error = error as? FileClientError, error.isAboutServer { break }
                }
            }
        }
        for line in failures.lines(of: files.count, style: .error) { Terminal.printError(line) }
        if failures.exitStatus != 0 { throw ExitCode(failures.exitStatus) }
    }
}
