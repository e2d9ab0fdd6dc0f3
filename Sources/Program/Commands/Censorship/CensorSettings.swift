internal import ArgumentParser
internal import FileClient

struct CensorSettings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Print the app's settings of censorship, or change some.",
        discussion: """
            Changes are in the log. docs/censorship.md explains each setting.

            Examples:
              lcfile censor settings
              lcfile censor settings auto=true rejectAbove=0.9
              lcfile censor settings blockedImage=6b014fd02ccc0416011d10e3
              lcfile censor settings blockedImage=null
            """
    )

    @Argument(
        help: ArgumentHelp("New values.", valueName: "name=value"),
        transform: { try CensorSettings.change($0) }
    )
    var changes: [Change] = []

    @OptionGroup
    var person: PersonOptions

    @OptionGroup
    var printing: JSONOption

    @OptionGroup(title: "Server")
    var server: ServerOptions

    /// A new value of a setting.
    struct Change: Equatable {
        let name: String
        let value: JSON
    }

    func validate() throws {
        guard Set(changes.map(\.name)).count == changes.count else {
            throw ValidationError("A setting has two values.")
        }
    }

    func run() async throws {
        try await server.connect { client in
            let values = Dictionary(changes.map { ($0.name, $0.value) }) { _, last in last }
            let settings =
                values.isEmpty
                ? try await client.censorSettings() : try await client.changeCensorSettings(values, by: person.name)
            guard !printing.isOn else { return Terminal.printLine(JSON.object(settings).description) }
            let rows = settings.sorted { $0.key < $1.key }.map { name, value in
                [name, Terminal.printable(value.string ?? value.description)]
            }
            for line in Table.lines(rows) { Terminal.printLine(line) }
        }
    }

    /// Parses `name=value`; the value is JSON, or a string without quotation marks.
    ///
    /// - Throws: `ValidationError` for another form.
    static func change(_ text: String) throws -> Change {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard halves.count == 2, !halves[0].isEmpty, !halves[1].isEmpty else {
            throw ValidationError("'\(text)' must have the form name=value, such as auto=true.")
        }
        // An id can look like a number, such as 123e45.
        if halves[0] == "blockedImage", halves[1] != "null" {
            return Change(name: halves[0], value: .string(halves[1]))
        }
        return Change(name: halves[0], value: (try? JSON(parsing: halves[1])) ?? .string(halves[1]))
    }
}
