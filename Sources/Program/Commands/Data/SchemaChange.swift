internal import ArgumentParser
internal import FileClient

extension SchemaCommand {
    /// The command `set`, under another name because Swift has a type `Set`.
    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change a field and print it. With --type, create the field and its class if they do not exist.",
            discussion: """
                Flags that are not named do not change. The type of an existing field cannot change.

                Examples:
                  lcfile schema set Order no --type Number --auto-increment
                  lcfile schema set Order state --required --default '"new"'
                  lcfile schema set Order buyer --type Pointer --target _User
                """
        )

        @OptionGroup var options: ServerOptions

        @OptionGroup var printing: JSONOption

        @Argument(help: ArgumentHelp("The class.", valueName: "class"))
        var className: String

        @Argument(help: "The field.")
        var field: String

        @Option(
            help: "The type: \(SchemaCommand.types.joined(separator: ", ")).",
            completion: .list(SchemaCommand.types)
        )
        var type: String?

        @Option(help: ArgumentHelp("The target class of a Pointer or Relation.", valueName: "class"))
        var target: String?

        @Flag(inversion: .prefixedNo, help: "No two objects can have the same value.")
        var unique: Bool?

        @Flag(inversion: .prefixedNo, help: "Objects cannot be created without it.")
        var required: Bool?

        @Flag(inversion: .prefixedNo, help: "Only the master key can write it.")
        var readOnly: Bool?

        @Flag(inversion: .prefixedNo, help: "Only the master key can read it.")
        var hidden: Bool?

        @Flag(inversion: .prefixedNo, help: "The server counts it up for each new object.")
        var autoIncrement: Bool?

        // Negative numbers start with `-`, like options.
        @Option(
            name: .customLong("default"),
            parsing: .unconditional,
            help: ArgumentHelp("The value that objects without it show; null removes the default.", valueName: "json"),
            transform: { try JSON(parsing: $0) }
        )
        var defaultValue: JSON?

        /// The requested change.
        var change: ClassField {
            var change = ClassField()
            change.type = type
            change.className = target
            change.isUnique = unique
            change.isRequired = required
            change.isReadOnly = readOnly
            change.isHidden = hidden
            change.isAutoIncrement = autoIncrement
            change.defaultValue = defaultValue
            return change
        }

        func validate() throws {
            guard change != ClassField() else {
                throw ValidationError("Name what to set: an option such as --unique, --default or --type.")
            }
            guard ["Pointer", "Relation"].contains(type) == (target != nil) else {
                throw ValidationError("--type Pointer and --type Relation need --target; other types have none.")
            }
        }

        func run() async throws {
            try await options.connect { client in
                let definition = try await client.setField(field, of: className, to: change)
                guard !printing.isOn else {
                    return try JSONLines.print([FieldsJSON(className: className, fields: [field: definition])])
                }
                for line in Table.lines([definition.row(named: field)]) { Terminal.printLine(line) }
            }
        }
    }

    private static let types = [
        "String", "Number", "Boolean", "Date", "File", "Object", "Array", "GeoPoint", "Bytes", "Pointer", "Relation",
        "Any",
    ]
}
