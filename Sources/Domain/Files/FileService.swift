/// Serves one app's files.
package struct FileService: Sendable {
    private let files: FileRecords
    private let isShared: Bool
    private let blobs: any BlobStore
    private let health: StorageHealth
    private let onDamage: @Sendable (ObjectID) -> Void
    /// Decides which files are served.
    package let policy: CensorPolicy
    /// Cached records and open blobs, so that frequent downloads need neither the database nor the file system.
    private let served: BoundedCache<FileKey, ServedFile>
    private let opened: BoundedCache<FileKey, any OpenBlob>
    /// The blobs to which clients are redirected, so that not each redirect needs a request to the store.
    private let remoteBlobs: BoundedCache<FileKey, ConfirmedBlob>

    /// A blob that the store had a moment ago.
    private struct ConfirmedBlob {
        let blob: any RemoteBlob
        /// When the store is asked again, which finds what no change of a record tells: that the blob is lost.
        let end = ContinuousClock.now + .seconds(60)
    }

    /// - Parameters:
    ///   - files: The app's records.
    ///   - blobs: The app's blobs.
    ///   - cache: The maximum numbers of cached records and open blobs.
    ///   - health: Receives reports of lost blobs.
    ///   - policy: Decides which files are served.
    ///   - onDamage: Called with each file whose blob is missing or has another size than its record says.
    package init(
        files: FileRecords,
        blobs: any BlobStore,
        cache: DownloadCache = DownloadCache(),
        health: StorageHealth = StorageHealth(),
        policy: CensorPolicy = CensorPolicy(),
        onDamage: @escaping @Sendable (ObjectID) -> Void = { _ in }
    ) {
        self.onDamage = onDamage
        self.health = health
        self.policy = policy
        self.files = files
        isShared = files.store.isShared
        self.blobs = blobs
        served = BoundedCache(bound: cache.records)
        opened = BoundedCache(bound: cache.openBlobs)
        remoteBlobs = BoundedCache(bound: cache.records)
        follow(files.changes)
    }

    /// The uses of the caches of records and of open blobs.
    package var cacheCounts: (records: CacheCounts, blobs: CacheCounts) { (served.counts, opened.counts) }

    /// The changes of the app's objects; the caches of this service have followed them before a later subscriber hears.
    package var changes: ChangeFeed { files.changes }

    /// Removes changed records and deleted files from the caches before the client gets the response to the change.
    private func follow(_ changes: ChangeFeed) {
        let filter = ChangeFilter(.file, [.updated, .deleted], states: .before)
        changes.subscribe(to: [filter]) { [served, opened, remoteBlobs] event in
            guard case .changes(let changes) = event else {
                served.removeAll()
                remoteBlobs.removeAll()
                return opened.removeAll()
            }
            for change in changes {
                // A file on another server has no key.
                guard let key = try? change.before?.object().fileKey else { continue }
                served.remove(key)
                remoteBlobs.remove(key)
                // Also after an update: the file of a blob that was damaged can be another one now.
                opened.remove(key)
            }
        }
    }

    /// Removes cached data of files whose records are deleted.
    package func forget(_ keys: [FileKey]) {
        for key in keys {
            served.remove(key)
            remoteBlobs.remove(key)
            opened.remove(key)
        }
    }

    /// The file with a key; does not check the caller, because URLs are public (protocol/files 7).
    ///
    /// Every way to the bytes of a file for clients begins here, or with ``requireOpen(_:)``.
    ///
    /// - Throws: ``ServiceError/Code/blocked`` if censorship does not let the file be served;
    ///   ``ServiceError/unreadable(_:)`` if its blob is known to be damaged.
    package func find(_ key: FileKey) async throws -> ServedFile? {
        let file = try await record(key)
        if let file { try requireOpen(file) }
        return file
    }

    /// The file with a key as its record is now; on a shared store it is read again, also if this server has it cached.
    package func currentRecord(_ key: FileKey) async throws -> ServedFile? {
        guard isShared else { return try await record(key) }
        return try await files.file(key: key).map(ServedFile.init)
    }

    /// The file with a key, also if it is blocked.
    package func record(_ key: FileKey) async throws -> ServedFile? {
        let file = try await served.value(for: key) { try await files.file(key: key).map(ServedFile.init) }
        guard let file, !canBePrepared(file) else { return file }
        return try await files.file(key: key).map(ServedFile.init)
    }

    /// Whether responses with the bytes of a file can be sent later without asking this service.
    ///
    /// With several servers, not those of a file that only some users can read: another server can have deleted it a
    /// moment ago, and its record is read for each request.
    package func canBePrepared(_ file: ServedFile) -> Bool { !isShared || !file.hasPrivateACL }

    /// The image that is served instead of a blocked one; `nil` without the setting, or if it is blocked itself.
    package func placeholder() async throws -> ServedFile? {
        guard let id = policy.settings.blockedImage, let file = try await files.file(id: id).map(ServedFile.init),
            (try? requireOpen(file)) != nil
        else { return nil }
        return file
    }

    /// Throws ``ServiceError/Code/blocked`` if censorship does not let the file be served, and
    /// ``ServiceError/unreadable(_:)`` if its blob is known to be damaged.
    package func requireOpen(_ file: ServedFile) throws {
        try policy.requireOpen(file.verdict)
        try requireWhole(file)
    }

    private func requireWhole(_ file: ServedFile) throws {
        if file.isDamaged { throw ServiceError.unreadable(.known) }
    }

    /// Opens the bytes of a file for this caller only.
    ///
    /// - Throws: ``ServiceError/Code/fileNotFound`` if the file was deleted meanwhile; ``ServiceError/unreadable(_:)``
    ///   if the blob is missing, has not as many bytes as its record says, or is known to be damaged.
    package func open(_ file: ServedFile) async throws -> any OpenBlob {
        try requireWhole(file)
        guard let blob = try await blobs.open(file.blob) else { throw try await missing(file) }
        guard blob.size == file.size else {
            try await report(file.key, "has \(blob.size) bytes, and its record \(file.size)")
            throw ServiceError.unreadable(UnreadableBlob(size: blob.size, expected: file.size))
        }
        guard blob.digest.map({ $0 == file.digest }) ?? true else {
            try await report(file.key, "is that of another file")
            throw ServiceError.unreadable(UnreadableBlob("the blob is that of another file"))
        }
        return blob
    }

    /// The bytes of a file, possibly from the cache and shared: read at explicit offsets only.
    ///
    /// - Throws: The errors of ``open(_:)``.
    package func openShared(_ file: ServedFile) async throws -> any OpenBlob {
        let blob = try await opened.value(for: file.key) { try await open(file) }
        if let blob, blob.size == file.size, blob.digest.map({ $0 == file.digest }) ?? true, !blob.isDamaged {
            return blob
        }
        // Damaged since it was opened, or the blob of an earlier file with the key.
        opened.remove(file.key)
        return try await open(file)
    }

    /// The blob of a file, for a client that gets it from the store itself.
    ///
    /// - Returns: `nil` if the store sends clients nothing, or not the blob of the record; ``openShared(_:)`` tells then
    ///   what is wrong with it.
    /// - Throws: ``ServiceError/unreadable(_:)`` if the blob is known to be damaged; errors of the storage.
    package func remote(_ file: ServedFile) async throws -> (any RemoteBlob)? {
        try requireWhole(file)
        func confirmed() async throws -> ConfirmedBlob? {
            try await remoteBlobs.value(for: file.key) {
                try await blobs.remote(file.blob).map { ConfirmedBlob(blob: $0) }
            }
        }
        var found = try await confirmed()
        if let last = found, last.end <= .now || last.blob.size != file.size {
            remoteBlobs.remove(file.key)
            found = try await confirmed()
        }
        guard let blob = found?.blob, blob.size == file.size else { return nil }
        return blob
    }

    /// The error for a missing blob; the blob was lost if the file's record exists, because a deletion removes the record
    /// first.
    private func missing(_ file: ServedFile) async throws -> ServiceError {
        guard try await files.file(key: file.key)?.id == file.id else { return FileService.notFound }
        try await report(file.key, "is missing")
        return .unreadable(UnreadableBlob("the blob is missing"))
    }

    /// Reports damage of a blob whose record exists.
    ///
    /// Logs contain the file's id instead of its key, because the key allows access to the file.
    private func report(_ key: FileKey, _ damage: String) async throws {
        guard let file = try await files.file(key: key) else { return }
        health.report(.damaged, "The blob of file \(file.id) \(damage).")
        onDamage(file.id)
    }

    /// The error for a key without a file.
    package static let notFound = ServiceError(.fileNotFound, "File not found.")
}
