package import FileClient
internal import FoundationEssentials

extension AppDownload {
    /// Downloads the bytes of all internal files to `files/<key>`, verified by their size, MD5 and hash.
    ///
    /// - Parameters:
    ///   - export: The folder with the records.
    ///   - run: The run, whose journal says which files are complete.
    ///   - client: The app.
    /// - Throws: As ``MigrationRun/send(_:inBatchesOf:from:by:)``.
    package static func downloadFiles(
        of export: Export,
        _ run: MigrationRun,
        from client: FileClient
    ) async throws {
        let open = { @Sendable in try ExportFileItems(export, domain: client.server) }
        try await run.send("_File", from: open) { batch, progress in
            [await ItemEnd.of { try await download(batch[0].item, to: export.path, client, progress) }]
        }
    }

    private static func download(
        _ item: FileItem,
        to folder: String,
        _ client: FileClient,
        _ progress: BatchProgress
    ) async throws {
        // Bytes from an earlier run are verified when they are imported.
        guard case .url(let url) = item.content else { return }
        guard let key = item.description.key, let path = ExportedFile.path(of: key, in: folder) else {
            throw MigrationError("the key cannot be the path of a file")
        }
        let parent = URL(filePath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        } catch {
            throw MigrationError("the folder \(parent.path(percentEncoded: false)) cannot be created")
        }
        _ = try await client.download(url, to: path, expecting: item.expected) { progress.sent($0) }
    }
}
