package import FileClient
internal import Glibc

extension AppDownload {
    /// Downloads the bytes of all internal files to `files/<key>`, verified by their size, MD5 and hash.
    ///
    /// Until then the bytes are in `.parts/`, because each name in `files/` can be that of a key. Files have mode 0600,
    /// folders 0700.
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
        let parts = TemporaryFolder(export.path + "/.parts")
        try await run.send("_File", from: open) { batch, progress in
            [await ItemEnd.of { try await download(batch[0].item, to: export.path, through: parts, client, progress) }]
        }
        parts.remove()
    }

    private static func download(
        _ item: FileItem,
        to folder: String,
        through parts: TemporaryFolder,
        _ client: FileClient,
        _ progress: BatchProgress
    ) async throws {
        // Bytes from an earlier run are verified when they are imported.
        guard case .url = item.content else { return }
        guard let key = item.description.key, let path = ExportedFile.path(of: key, in: folder) else {
            throw MigrationError("the key cannot be the path of a file")
        }
        for parent in ExportedFile.folders(of: key, in: folder) {
            guard mkdir(parent, 0o700) == 0 || errno == EEXIST else {
                throw MigrationError("the folder \(parent) cannot be created: \(String(cString: strerror(errno)))")
            }
        }
        // Two records can have the same key.
        let part = try parts.path(for: "\(item.name) \(key)")
        defer { unlink(part) }
        // The URL of a private file has a signature, whose time can have ended since the record was written.
        let record = try await client.file(item.name)
        guard record.key == key, let url = client.contentURL(of: record) else {
            throw MigrationError("the file has another key now")
        }
        _ = try await client.download(url, to: part, expecting: item.expected) { progress.sent($0) }
        guard chmod(part, 0o600) == 0, rename(part, path) == 0 else {
            throw MigrationError("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
