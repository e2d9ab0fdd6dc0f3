internal import ArgumentParser
internal import Server

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the versions of lcfile and of the libraries that it uses.",
        discussion: """
            Examples:
              lcfile version
              lcfile version --json
            """
    )

    @OptionGroup
    var printing: JSONOption

    func run() throws {
        guard printing.isOn else { return Terminal.printLine(ProgramVersion.text) }
        try JSONLines.print([VersionReport()])
    }
}

/// The JSON of `lcfile version --json`.
struct VersionReport: Encodable {
    let version = ProgramVersion.number
    let commit = ProgramVersion.commit
    /// The versions of the libraries by their names.
    let libraries = Dictionary(ProgramVersion.libraries.map { ($0.name, $0.version) }) { first, _ in first }
}
