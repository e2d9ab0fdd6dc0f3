internal import ArgumentParser
internal import FileClient

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Show classes and change their fields.",
        subcommands: [Show.self, Change.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the fields of a class, or of all classes, one on each line: name, type and flags.",
            discussion: """
                Examples:
                  lcfile schema show
                  lcfile schema show Order
                  lcfile schema show --json | jq -r .className
                """
        )

        @OptionGroup var options: ServerOptions

        @OptionGroup var printing: JSONOption

        @Argument(help: ArgumentHelp("The class. Default: all classes.", valueName: "class"))
        var className: String?

        func run() async throws {
            try await options.connect { client in
                if let className {
                    let fields = try await client.fields(of: className)
                    guard !printing.isOn else {
                        return try JSONLines.print([FieldsJSON(className: className, fields: fields)])
                    }
                    for line in lines(fields) { Terminal.printLine(line) }
                    return
                }
                let classes = try await client.classes().sorted { $0.key < $1.key }
                guard !printing.isOn else {
                    return try JSONLines.print(classes.map { FieldsJSON(className: $0.key, fields: $0.value) })
                }
                for (position, (name, fields)) in classes.enumerated() {
                    Terminal.printLine(position == 0 ? name : "\n\(name)")
                    for line in lines(fields) { Terminal.printLine("  \(line)") }
                }
            }
        }

        private func lines(_ fields: [String: ClassField]) -> [String] {
            Table.lines(fields.sorted { $0.key < $1.key }.map { $0.value.row(named: $0.key) })
        }
    }
}

extension ClassField {
    /// The table row of a field: name, type and attributes, such as `no`, `Number`, `unique auto-increment`.
    func row(named name: String) -> [String] {
        let type = (type ?? "") + (className.map { "<\($0)>" } ?? "")
        let flags: [(isOn: Bool?, keyword: String)] = [
            (isUnique, "unique"), (isRequired, "required"), (isReadOnly, "read-only"), (isHidden, "hidden"),
            (isAutoIncrement, "auto-increment"),
        ]
        var keywords = flags.compactMap { $0.isOn == true ? $0.keyword : nil }
        if let defaultValue { keywords.append("default=\(defaultValue)") }
        return keywords.isEmpty ? [name, type] : [name, type, keywords.joined(separator: " ")]
    }
}
