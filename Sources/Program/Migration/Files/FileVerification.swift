package import FileClient

/// Compares imported files with what the server serves.
package struct FileVerification: Sendable {
    private let client: FileClient

    /// Creates a verification.
    ///
    /// - Parameter client: The client, with the master key.
    package init(_ client: FileClient) {
        self.client = client
    }

    /// Compares files: the record exists, and the server serves the bytes of the source.
    ///
    /// The bytes of a file from a URL are compared with size and checksum of the record only.
    package func compare(_ batch: [PlannedItem<FileItem>], _ progress: BatchProgress) async -> [ItemEnd] {
        var ends: [ItemEnd] = []
        do {
            let records = try await client.files(batch.map(\.entry.objectId))
            for planned in batch {
                let end = await ItemEnd.of { try await compare(planned, records[planned.entry.objectId]) }
                ends.append(end)
                progress.sent(batch.prefix(ends.count).reduce(0) { $0 + ($1.item.size ?? 0) })
            }
        } catch {
            let end = await ItemEnd.of { throw error }
            ends += Array(repeating: end, count: batch.count - ends.count)
        }
        return ends
    }

    private func compare(_ planned: PlannedItem<FileItem>, _ known: FileRecord?) async throws {
        let description = planned.item.description
        var record = known
        if record == nil, let key = description.key { record = try await client.file(key: key) }
        guard let record, let url = client.contentURL(of: record) else {
            throw MigrationError("the server has no such file")
        }
        try require(record.name == description.name || known == nil, "the name differs: \(record.name)")
        try require(description.key == nil || record.key == description.key, "the key differs: \(record.key ?? "none")")
        let served: (digest: FileDigest, size: Int64)
        do {
            served = try await client.digest(at: url)
        } catch let error as FileClientError where error.status == 404 {
            throw MigrationError("the server has the record, but not the bytes")
        }
        try require(record.size == nil || record.size == served.size, "the size differs from the record")
        if let checksum = record.checksum {
            try require(checksum.lowercased() == served.digest.md5, "the bytes differ from the record's checksum")
        }
        guard case .path(let path) = planned.item.content else { return }
        let local = try await client.digest(of: path)
        try require(local.size == served.size, "\(served.size) bytes on the server, \(local.size) in the source")
        try require(local.digest.qiniuHash == served.digest.qiniuHash, "the bytes differ")
    }

    private func require(_ isTrue: Bool, _ difference: String) throws(MigrationError) {
        guard isTrue else { throw MigrationError(difference) }
    }
}
