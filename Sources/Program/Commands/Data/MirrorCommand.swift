internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

struct MirrorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror",
        abstract: "Show how far the move of an app's files is.",
        subcommands: [Status.self]
    )

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print how many files are still on the origin of the mirror only, and how many were fetched.",
            discussion: """
                When no file is missing and the import is complete, the old file domain is no longer needed.

                Examples:
                  lcfile mirror status
                  lcfile mirror status --json
                """
        )

        @OptionGroup
        var printing: JSONOption

        @OptionGroup(title: "Server")
        var options: ServerOptions

        func run() async throws {
            try await options.connect { client in
                let status = try await client.mirrorStatus()
                guard !printing.isOn else {
                    let encoder = JSONEncoder()
                    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                    return Terminal.printLine(String(decoding: try encoder.encode(status), as: UTF8.self))
                }
                for line in Table.lines(Status.rows(status)) { Terminal.printLine(line) }
            }
        }

        private static func rows(_ status: MirrorStatus) -> [[String]] {
            [
                ["origin", Terminal.printable(status.origin)],
                ["missing", "\(Amount.count(status.missing, "file")), \(Amount.bytes(status.missingBytes))"],
                ["mirrored", Amount.count(status.mirrored, "file")],
                ["not imported", Amount.count(status.created, "file")],
                ["failed", "\(status.failed) since the server started"],
            ]
        }
    }
}
