/// Serves one app's files.
package struct FileService: Sendable {
    private let files: FileRecords
    private let blobs: any BlobStore
    private let health: StorageHealth
    /// What downloads need, so that those in demand ask neither the database nor the file system.
    private let served: BoundedCache<FileKey, ServedFile>
    private let opened: BoundedCache<FileKey, any OpenBlob>

    /// - Parameters:
    ///   - files: The app's records.
    ///   - blobs: The app's blobs.
    ///   - cache: How many records and how many open blobs are kept for downloads.
    ///   - health: Is told of blobs that are lost.
    package init(
        files: FileRecords,
        blobs: any BlobStore,
        cache: DownloadCache = DownloadCache(),
        health: StorageHealth = StorageHealth()
    ) {
        self.health = health
        self.files = files
        self.blobs = blobs
        served = BoundedCache(bound: cache.records)
        opened = BoundedCache(bound: cache.openBlobs)
        follow(files.changes)
    }

    /// Takes records that change, and files that are deleted, out of the caches before the change is answered.
    private func follow(_ changes: ChangeFeed) {
        let filter = ChangeFilter(.file, [.updated, .deleted], states: .before)
        changes.subscribe(to: [filter]) { [served, opened] event in
            guard case .changes(let changes) = event else {
                served.removeAll()
                return opened.removeAll()
            }
            for change in changes {
                // A file that lies elsewhere has no key.
                guard let key = try? change.before?.object().fileKey else { continue }
                served.remove(key)
                if change.kind == .deleted { opened.remove(key) }
            }
        }
    }

    /// Forgets what is kept for downloads of files whose records are gone.
    package func forget(_ keys: [FileKey]) {
        for key in keys {
            served.remove(key)
            opened.remove(key)
        }
    }

    /// The file under a key, without a check of the caller: URLs are public (protocol/files 7).
    package func find(_ key: FileKey) async throws -> ServedFile? {
        try await served.value(for: key) { try await files.file(key: key).map(ServedFile.init) }
    }

    /// The bytes of a file, opened for this caller alone.
    ///
    /// - Throws: ``ServiceError/Code/fileNotFound`` if a delete was faster; ``ServiceError/unreadable(_:)`` if the blob
    ///   has not as many bytes as its record says.
    package func open(_ file: ServedFile) async throws -> any OpenBlob {
        guard let blob = try await blobs.open(file.key) else { throw try await missing(file.key) }
        guard blob.size == file.size else {
            try await report(file.key, "has \(blob.size) bytes, and its record \(file.size)")
            throw ServiceError.unreadable(UnreadableBlob(size: blob.size, expected: file.size))
        }
        return blob
    }

    /// The bytes of a file, perhaps opened before and shared: read by position only.
    ///
    /// - Throws: What ``open(_:)`` throws.
    package func openShared(_ file: ServedFile) async throws -> any OpenBlob {
        let blob = try await opened.value(for: file.key) { try await open(file) }
        if let blob, blob.size == file.size, !blob.isDamaged { return blob }
        // Damaged since it was opened, or that of a file that had the key before.
        opened.remove(file.key)
        return try await open(file)
    }

    /// A delete removes the record first: a blob that is not there although its record still is was lost.
    private func missing(_ key: FileKey) async throws -> ServiceError {
        try await report(key, "is missing")
        return FileService.notFound
    }

    /// Reports damage of a blob whose record is there; logs get the file's id, because its key is what opens it.
    private func report(_ key: FileKey, _ damage: String) async throws {
        guard let file = try await files.file(key: key) else { return }
        health.report(.damaged, "The blob of file \(file.id) \(damage).")
    }

    /// What a key that nobody has, or has no more, is answered with.
    package static let notFound = ServiceError(.fileNotFound, "File not found.")
}
