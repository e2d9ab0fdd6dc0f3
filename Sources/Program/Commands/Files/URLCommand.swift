internal import ArgumentParser
internal import FileClient

struct URLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Print the URLs of files, one on each line; those of private files are signed.",
        discussion: """
            Examples:
              lcfile url 6b014fd02ccc0416011d10e3
              lcfile url --save-as report.pdf 6b014fd02ccc0416011d10e3
              lcfile url --master --expires 1h EKWh3RrPianRe7qe3Lf0hXSA7RPYeijO.jpg
              lcfile url --master --image imageView2/1/w/200 6b014fd02ccc0416011d10e3
            """
    )

    @Argument(help: ArgumentHelp("Files by objectId, key or URL.", valueName: "file"))
    var files: [String]

    @Option(
        help: ArgumentHelp("How long a signed URL is valid: 45s, 30m, 12h, 90d.", valueName: "time"),
        transform: URLCommand.life
    )
    var expires: Int?

    @Option(help: ArgumentHelp("Operators such as imageView2/1/w/200, or the name of a style.", valueName: "operators"))
    var image: String?

    @Option(help: ArgumentHelp("The name under which browsers save the file.", valueName: "name"))
    var saveAs: String?

    @Flag(help: "Use the master key, which ignores permissions.")
    var master = false

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        try await EachFile(files, server, master: master).print { record, client, _ in
            [URLCommand.saving(try await url(of: record, client), as: saveAs)]
        }
    }

    private func url(of record: FileRecord, _ client: FileClient) async throws -> String {
        if expires != nil || image != nil {
            return try await client.signedURL(of: record.objectId, seconds: expires, image: image).url
        }
        guard let url = record.url else { throw NoSuchFile(description: "the record has no URL") }
        return url
    }

    /// The URL with the name under which browsers save the file.
    static func saving(_ url: String, as name: String?) -> String {
        name.map { "\(url)\(url.contains("?") ? "&" : "?")attname=\(FileClient.percentEncoded($0))" } ?? url
    }

    private static func life(_ text: String) throws -> Int {
        guard let seconds = Amount.seconds(text), seconds >= 1 else {
            throw ValidationError("--expires must be a time such as 45s, 30m, 12h or 90d.")
        }
        return Int(seconds)
    }
}
