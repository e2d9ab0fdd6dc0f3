package import FileClient
internal import FoundationEssentials
internal import Glibc

/// Uploads single files of an import, each exactly once.
package struct FileImport: Sendable {
    private let client: FileClient
    private let journal: Journal
    private let folder: TemporaryFolder

    /// Creates an import.
    ///
    /// - Parameters:
    ///   - client: The client, with the master key.
    ///   - journal: Where unfinished uploads are noted.
    package init(_ client: FileClient, _ journal: Journal) {
        self.client = client
        self.journal = journal
        folder = TemporaryFolder(beside: journal.path)
    }

    /// Sends one file.
    ///
    /// - Parameters:
    ///   - planned: The file.
    ///   - progress: Receives the number of bytes that were sent.
    ///   - adjust: Called if the server had the file with the same bytes; its record can be another one.
    /// - Returns: The end of the item.
    package func send(
        _ planned: PlannedItem<FileItem>,
        _ progress: BatchProgress,
        adjustingKnown adjust: () async -> ItemEnd = { .done }
    ) async -> ItemEnd {
        var wasKnown = false
        let end = await ItemEnd.of {
            let hasKey = planned.item.description.key != nil
            // A key is one file, so that the earlier versions have to go first; otherwise they go last.
            if hasKey { try await deleteReplaced(planned.entry) }
            switch planned.item.content {
            case .path(let path): wasKnown = try await upload(path, FileVersion(of: path), planned, progress)
            case .url(let url): wasKnown = try await copy(url, planned, progress)
            }
            if !hasKey { try await deleteReplaced(planned.entry) }
        }
        guard case .done = end, wasKnown else { return end }
        return await adjust()
    }

    /// Deletes the earlier versions of a file; the server ignores those that it does not have.
    private func deleteReplaced(_ entry: JournalEntry) async throws {
        for id in entry.replaced { try await client.deleteFile(id) }
    }

    /// Removes the folder of temporary files, unless it has unfinished ones.
    package func removeTemporaryFiles() { folder.remove() }

    /// Downloads a file beside the journal, and uploads it; returns whether the server had it.
    private func copy(
        _ url: String,
        _ planned: PlannedItem<FileItem>,
        _ progress: BatchProgress
    ) async throws -> Bool {
        // An earlier process can have begun the download under the objectId of an earlier version.
        let id = planned.entry.replaced.first ?? planned.entry.objectId
        let path = try folder.path(for: "\(id) \(url)")
        // Also after a failure: only a partial download is continued.
        defer { unlink(path) }
        do {
            _ = try await client.download(url, to: path, expecting: planned.item.expected, isTemporary: true)
        } catch let error as FileClientError {
            // Another server's fault must not stop the import.
            throw MigrationError("the download failed: \(error)")
        }
        // Each download is another file; the client compares what it continues.
        return try await upload(path, nil, planned, progress)
    }

    /// Uploads a file; returns whether the server had it.
    private func upload(
        _ path: String,
        _ version: FileVersion?,
        _ planned: PlannedItem<FileItem>,
        _ progress: BatchProgress
    ) async throws -> Bool {
        var description = planned.item.description
        description.objectId = planned.entry.objectId
        let location = planned.entry.upload.flatMap { NotedUpload($0).location(for: version) }
        do {
            let record = try await client.upload(
                path,
                as: description,
                continuing: location,
                created: { location in
                    // Without the note, another process sends the file from its beginning.
                    try? journal.note(upload: NotedUpload(location, of: version).text, of: planned.entry)
                },
                progress: { progress.sent($0) }
            )
            // What is continued has the description that it began with.
            return record.wasKnown || location != nil
        } catch let error as FileClientError where error.code == FileClientError.duplicateValue {
            guard let key = description.key, let record = try await client.file(key: key) else { throw error }
            guard try await client.hasBytes(record, of: path) else {
                throw MigrationError("the server has a file with the key '\(key)' and other bytes")
            }
            return true
        }
    }
}

extension ItemEnd {
    /// The end of an item whose sending throws what hinders it.
    static func of(_ body: () async throws -> Void) async -> ItemEnd {
        do {
            try await body()
            return .done
        } catch is CancellationError {
            return .interrupted
        } catch let error as FileClientError where error.isAboutServer {
            return .stopped(error)
        } catch {
            return .failed("\(error)")
        }
    }
}
