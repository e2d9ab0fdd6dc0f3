internal import ArgumentParser
internal import FileClient

struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "List, make and remove the indexes of a class.",
        discussion: "Indexes change no answer, only how fast queries on the fields come back.",
        subcommands: [List.self, Add.self, Remove.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the indexes of a class, one a line; 'unique' stands behind those of unique fields."
        )

        @OptionGroup var options: ServerOptions

        @Argument(help: ArgumentHelp("The class.", valueName: "class"))
        var className: String

        func run() async throws {
            try await options.connect { client in
                let indexes = try await client.indexes(of: className)
                let rows = indexes.map { $0.isUnique ? [$0.name, "unique"] : [$0.name] }
                for line in Table.lines(rows) { Terminal.say(line) }
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an index and print its name.",
            discussion: "An index that is there already is left as it is."
        )

        @OptionGroup var options: ServerOptions

        @Argument(help: ArgumentHelp("The class.", valueName: "class"))
        var className: String

        @Argument(
            help: ArgumentHelp(
                "One field or two, or places inside Object fields, such as profile.city.",
                valueName: "field"
            )
        )
        var fields: [String]

        func validate() throws {
            guard fields.count <= 2 else { throw ValidationError("An index has one field or two.") }
        }

        func run() async throws {
            try await options.connect { client in
                Terminal.say(try await client.addIndex(on: fields, of: className).name)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an index.",
            discussion: "That of a unique field goes with 'lcfile schema set <class> <field> --no-unique'."
        )

        @OptionGroup var options: ServerOptions

        @Argument(help: ArgumentHelp("The class.", valueName: "class"))
        var className: String

        @Argument(help: "The index's name, as 'lcfile index list' prints it: city,age.")
        var name: String

        func run() async throws {
            try await options.connect { client in
                try await client.removeIndex(name, of: className)
            }
        }
    }
}
