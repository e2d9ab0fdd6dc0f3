internal import ArgumentParser
internal import FileClient

extension SchemaCommand {
    /// Named apart from its command, `set`, which is a type of Swift.
    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change a field and print what is now set; with --type also make it, and its class.",
            discussion: "What is not named stays as it is. The type of a field that is there does not change."
        )

        @OptionGroup var options: ServerOptions

        @Argument(help: ArgumentHelp("The class.", valueName: "class"))
        var className: String

        @Argument(help: "The field.")
        var field: String

        @Option(
            help: "The type: \(SchemaCommand.types.joined(separator: ", ")).",
            completion: .list(SchemaCommand.types)
        )
        var type: String?

        @Option(help: ArgumentHelp("The class that a Pointer or Relation leads to.", valueName: "class"))
        var target: String?

        @Flag(inversion: .prefixedNo, help: "No two objects have the same value.")
        var unique: Bool?

        @Flag(inversion: .prefixedNo, help: "Objects cannot be made without it.")
        var required: Bool?

        @Flag(inversion: .prefixedNo, help: "Only the master key writes it.")
        var readOnly: Bool?

        @Flag(inversion: .prefixedNo, help: "Only the master key sees it.")
        var hidden: Bool?

        @Flag(inversion: .prefixedNo, help: "New objects get the next number.")
        var autoIncrement: Bool?

        // Negative numbers begin as options do.
        @Option(
            name: .customLong("default"),
            parsing: .unconditional,
            help: ArgumentHelp("What objects without it show; null takes it away.", valueName: "json"),
            transform: { try JSON(parsing: $0) }
        )
        var defaultValue: JSON?

        /// What the server is asked to change.
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
                throw ValidationError("Say what to set: a flag such as --unique, --default or --type.")
            }
            guard ["Pointer", "Relation"].contains(type) == (target != nil) else {
                throw ValidationError("--type Pointer and --type Relation need --target; nothing else has one.")
            }
        }

        func run() async throws {
            try await options.connect { client in
                let definition = try await client.setField(field, of: className, to: change)
                for line in Table.lines([definition.row(named: field)]) { Terminal.say(line) }
            }
        }
    }

    private static let types = [
        "String", "Number", "Boolean", "Date", "File", "Object", "Array", "GeoPoint", "Bytes", "Pointer", "Relation",
        "Any",
    ]
}
