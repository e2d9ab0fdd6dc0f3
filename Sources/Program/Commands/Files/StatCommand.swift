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

    @OptionGroup
    var printing: JSONOption

    @Flag(help: "Use the master key, which ignores permissions.")
    var master = false

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        try await EachFile(files, server, master: master).print { record, _, position in
            if printing.isOn { return [JSON.object(record.fields).description] }
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
