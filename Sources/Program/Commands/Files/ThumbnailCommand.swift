internal import ArgumentParser
internal import FileClient

struct ThumbnailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbnail",
        abstract: "Print the URLs of smaller versions of images, or download them.",
        discussion: """
            The image fits inside the box of --width and --height, or is cropped to it with --crop. It is never \
            enlarged. A URL has a signature where the server needs one; if images.access of the server limits the \
            images, only the master key makes them (--master).

            Examples:
              lcfile thumbnail --width 200 --height 200 6b014fd02ccc0416011d10e3
              lcfile thumbnail --width 400 --format webp --quality 80 \\
                -o small.webp photo-key.jpg
            """
    )

    @Argument(help: ArgumentHelp("Images by objectId, key or URL.", valueName: "file"))
    var files: [String]

    @Option(help: "The width of the box in pixels.")
    var width: Int?

    @Option(help: "The height of the box in pixels.")
    var height: Int?

    @Flag(help: "Cover the box and cut off what exceeds it; a missing side is equal to the other.")
    var crop = false

    @Option(help: "The quality, 1 to 100. Default: that of the server.")
    var quality: Int?

    @Option(
        help: "The format: jpg, png, webp, avif, gif. Default: that of the image.",
        completion: .list(["jpg", "png", "webp", "avif", "gif"])
    )
    var format: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Download to a file, a folder, or '-' for standard output.", valueName: "path"),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Replace files that exist.")
    var overwrite = false

    @Flag(help: "Use the master key, which ignores permissions.")
    var master = false

    @OptionGroup(title: "Transfer")
    var transfer: TransferOptions

    @OptionGroup(title: "Output")
    var printing: OutputOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        guard width != nil || height != nil else { throw ValidationError("Set --width, --height or both.") }
        for (name, side) in [("--width", width), ("--height", height)] {
            guard (1...9999).contains(side ?? 1) else { throw ValidationError("\(name) must be 1 to 9999.") }
        }
        guard (1...100).contains(quality ?? 1) else { throw ValidationError("--quality must be 1 to 100.") }
        guard output != "-" || files.count == 1 && !printing.json else {
            throw ValidationError("Standard output takes one image, without --json.")
        }
        _ = try thumbnail
    }

    /// The thumbnail of the options.
    var thumbnail: Thumbnail {
        get throws {
            var thumbnail = Thumbnail(width: width, height: height)
            thumbnail.crops = crop
            thumbnail.quality = quality
            if let format {
                guard !format.isEmpty, let known = Thumbnail.Format(rawValue: format.lowercased()) else {
                    throw ValidationError("--format must be jpg, png, webp, avif or gif.")
                }
                thumbnail.format = known
            }
            return thumbnail
        }
    }

    func run() async throws {
        let thumbnail = try thumbnail
        guard let output else {
            try await EachFile(files, server, master: master).print { record, client, _ in
                let url = try await ThumbnailURL(thumbnail: thumbnail, client: client).url(of: record)
                let json = JSON.object(["objectId": .string(record.objectId), "url": .string(url)])
                return [printing.json ? json.description : url]
            }
            return
        }
        do {
            let client = try server.client(with: master ? .master : .app, transfer.client)
            let downloads = FileDownloads(
                client: client,
                destination: try DownloadDestination(output, holdsSeveral: files.count > 1),
                overwrites: overwrite
            )
            let items = files.map { GetItem(name: $0) }
            try await FileTransfers("downloaded", transfer, printing).run(items) { item, report in
                let (url, record) = try await FileArgument(item.name).content(on: client)
                report.size(nil)
                let name = ThumbnailCommand.name(record?.name ?? FileClient.key(in: url) ?? "", thumbnail.format)
                let source = try await source(url, record, client)
                return try await downloads.download(source, nil, named: name, from: item.name, report)
            }
        } catch {
            try ServerOptions.end(with: error)
        }
    }

    /// Where the bytes of the thumbnail are, at an address that the client reaches.
    private func source(_ url: String, _ record: FileRecord?, _ client: FileClient) async throws -> String {
        let thumbnail = try thumbnail
        guard var record else { return thumbnail.url(of: url) }
        record.fields["url"] = .string(try await ThumbnailURL(thumbnail: thumbnail, client: client).url(of: record))
        return client.contentURL(of: record) ?? url
    }

    /// The name with the extension of the format.
    static func name(_ name: String, _ format: Thumbnail.Format) -> String {
        guard format != .original else { return name }
        let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
        return "\(stem.isEmpty ? name : stem).\(format.rawValue)"
    }
}
