internal import ArgumentParser
internal import FileClient

struct CensorKnown: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "known",
        abstract: "Add, list and remove known images, whose copies checks reject.",
        subcommands: [Add.self, List.self, Remove.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add hashes, or lists of hashes.",
            discussion: """
                A hash is sha256:<64 hexadecimal digits> of the exact bytes, or pdq:<64 hexadecimal digits>, which also \
                finds slightly changed copies. A list has one hash on each line, behind it optionally a note; lines \
                that begin with '#' are comments. Blocking a file adds its image without this command.

                Examples:
                  lcfile censor known add \\
                    sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                  lcfile censor known add --kind pdq hashes.txt
                """
        )

        @Argument(
            help: ArgumentHelp("Hashes, files with lists, or '-' for a list on standard input.", valueName: "hash"),
            completion: .file()
        )
        var hashes: [String]

        @Option(help: ArgumentHelp("The kind of hashes that name none: sha256 or pdq.", valueName: "kind"))
        var kind = KnownImageList.Kind.sha256

        @Option(help: ArgumentHelp("A note for entries without one.", valueName: "text"))
        var note: String?

        @OptionGroup(title: "Server")
        var server: ServerOptions

        func run() async throws {
            try await server.connect { client in
                var images: [KnownImage] = []
                for argument in hashes { images += try KnownImageList.entries(of: argument, otherwise: kind) }
                if let note {
                    for index in images.indices where images[index].note == nil { images[index].note = note }
                }
                let added = try await client.addKnownImages(images)
                Terminal.printLine("added \(added) of \(Amount.count(images.count, "image"))")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List known images, the newest first.",
            discussion: """
                Examples:
                  lcfile censor known list --all
                """
        )

        @OptionGroup
        var list: CensorListOptions

        @OptionGroup(title: "Server")
        var server: ServerOptions

        func run() async throws {
            let pages = CensorPages(limit: list.bound) { client, count, cursor in
                try await client.knownImages(limit: count, cursor: cursor)
            }
            try await server.connect { client in
                try await pages.each(of: client) { images, _ in
                    guard !list.printing.isOn else { return try JSONLines.print(images) }
                    for line in Table.lines(images.map(List.cells)) { Terminal.printLine(line) }
                }
            }
        }

        private static func cells(_ image: KnownImage) -> [String] {
            let hashes = [image.sha256.map { "sha256:\($0)" }, image.pdq.map { "pdq:\($0)" }].compactMap(\.self)
            return [image.id, hashes.joined(separator: " "), image.file, image.note].map { cell in
                cell.flatMap { $0.isEmpty ? nil : Terminal.printable($0) } ?? "-"
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove known images; verdicts on files stay.",
            discussion: """
                Examples:
                  lcfile censor known remove 6b014fd02ccc0416011d10e3
                """
        )

        @Argument(help: ArgumentHelp("The ids of entries, as 'list' prints them.", valueName: "id"))
        var ids: [String]

        @OptionGroup(title: "Server")
        var server: ServerOptions

        func run() async throws {
            try await server.connect { client in
                for id in ids { try await client.removeKnownImage(id) }
            }
        }
    }
}

extension KnownImageList.Kind: ExpressibleByArgument {}
