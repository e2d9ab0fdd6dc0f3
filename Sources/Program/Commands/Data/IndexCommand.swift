internal import ArgumentParser
internal import FileClient

struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "List, add and remove the indexes of a class.",
        discussion: "Indexes make queries on their fields faster. They change no answer.",
        subcommands: [List.self, Add.self, Remove.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the indexes of a class, one on each line; those of unique fields with 'unique'.",
            discussion: """
                Examples:
                  lcfile index list Order
                  lcfile index list Order --json | jq -r .name
                """
        )

        @OptionGroup var options: ServerOptions

        @OptionGroup var printing: JSONOption

        @Argument(help: ArgumentHelp("The class.", valueName: "class"))
        var className: String

        func run() async throws {
            try await options.connect { client in
                let indexes = try await client.indexes(of: className)
                guard !printing.isOn else { return try JSONLines.print(indexes) }
                let rows = indexes.map { $0.isUnique ? [$0.name, "unique"] : [$0.name] }
                for line in Table.lines(rows) { Terminal.printLine(line) }
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an index and print its name.",
            discussion: """
                An existing index does not change.

                Examples:
                  lcfile index add Order state
                  lcfile index add Order state address.city
                """
        )

        @OptionGroup var options: ServerOptions

        @Argument(help: ArgumentHelp("The class.", valueName: "class"))
        var className: String

        @Argument(
            help: ArgumentHelp(
                "One or two fields, or paths inside Object fields, such as profile.city.",
                valueName: "field"
            )
        )
        var fields: [String]

        func validate() throws {
            guard fields.count <= 2 else { throw ValidationError("An index has one or two fields.") }
        }

        func run() async throws {
            try await options.connect { client in
                Terminal.printLine(try await client.addIndex(on: fields, of: className).name)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an index.",
            discussion: """
                To remove the index of a unique field: 'lcfile schema set <class> <field> --no-unique'.

                Examples:
                  lcfile index remove Order state,address.city
                """
        )

        @OptionGroup var options: ServerOptions

        @Argument(help: ArgumentHelp("The class.", valueName: "class"))
        var className: String

        @Argument(help: "The name of the index, as 'lcfile index list' prints it, such as city,age.")
        var name: String

        func run() async throws {
            try await options.connect { client in
                try await client.removeIndex(name, of: className)
            }
        }
    }
}
