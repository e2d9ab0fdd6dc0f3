internal import ArgumentParser
internal import FileClient

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the files of the app, the newest first.",
        discussion: """
            Without --all, the first 100 files or those of --limit. Pages are requested while they are printed.

            Examples:
              lcfile ls
              lcfile ls --where '{"mime_type":{"$regex":"^image/"}}' \\
                --order name --limit 20
              lcfile ls --all --columns url
              lcfile ls --all --json | jq -s 'map(.metaData.size) | add'
            """
    )

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("A condition, as in queries of the API.", valueName: "json"),
        transform: {
            guard let value = try? JSON(parsing: $0), case .object = value else {
                throw ValidationError("--where must be a JSON object, such as '{\"name\":\"photo.jpg\"}'.")
            }
            return value
        }
    )
    var condition: JSON?

    // Descending orders start with `-`, like options.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Fields to order by, separated by commas; with '-' descending.", valueName: "fields")
    )
    var order = "-createdAt"

    @Option(help: "The maximum number of files. Default: 100.")
    var limit: Int?

    @Flag(help: "List all files.")
    var all = false

    @Option(
        help: ArgumentHelp("Fields of the records, separated by commas; 'size' is metaData.size.", valueName: "fields"),
        transform: { $0.split(separator: ",").map(String.init) }
    )
    var columns = ["objectId", "size", "createdAt", "mime_type", "name"]

    @OptionGroup
    var printing: JSONOption

    @Flag(help: "Use the master key, which ignores permissions.")
    var master = false

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        guard limit == nil || !all else { throw ValidationError("--limit and --all exclude each other.") }
        guard limit ?? 1 > 0 else { throw ValidationError("--limit must be at least 1.") }
        guard !columns.isEmpty else { throw ValidationError("--columns needs at least one field.") }
    }

    /// The query of the options.
    var query: FileQuery {
        var query = FileQuery()
        query.condition = condition
        query.order = order
        query.limit = all ? nil : limit ?? 100
        query.showsACL = columns.contains("ACL") || printing.isOn
        return query
    }

    func run() async throws {
        try await server.connect(with: master ? .master : .app) { client in
            // People compare sizes, scripts add them.
            let list = FileList(columns: columns, isForPeople: Terminal.isOutput, style: .output)
            var isFirst = true
            for try await page in client.files(query) {
                let lines =
                    printing.isOn
                    ? page.map { JSON.object($0.fields).description } : list.lines(page, showsHeader: isFirst)
                for line in lines { Terminal.printLine(line) }
                try ResultOutput.standard.requireWritten()
                isFirst = false
            }
        }
    }
}

/// Records as lines of a table.
struct FileList {
    let columns: [String]
    /// Whether there is a header, and sizes have units.
    let isForPeople: Bool
    let style: Style

    /// The lines of a page.
    func lines(_ records: [FileRecord], showsHeader: Bool) -> [String] {
        let rows = records.map { record in columns.map { cell($0, of: record) } }
        guard isForPeople else { return Table.lines(rows) }
        let lines = Table.lines([columns.map { $0.uppercased() }] + rows)
        return (showsHeader ? lines.prefix(1).map(style.bold) : []) + lines.dropFirst()
    }

    private func cell(_ column: String, of record: FileRecord) -> String {
        if column == "size" {
            guard let size = record.size else { return "-" }
            return isForPeople ? Amount.bytes(size) : "\(size)"
        }
        switch record.fields[column] {
        case nil, .null: return "-"
        case .string(let text): return Terminal.printable(text)
        case let value?: return value.description
        }
    }
}
