/// Reads and deletes one app's files.
package struct FileService: Sendable {
    private let files: any FileStore
    private let blobs: any BlobStore
    /// What downloads need, so that those in demand ask neither the database nor the file system.
    private let served: BoundedCache<FileKey, ServedFile>
    private let opened: BoundedCache<FileKey, any OpenBlob>

    /// - Parameters:
    ///   - files: The app's records.
    ///   - blobs: The app's blobs.
    ///   - cache: How many records and how many open blobs are kept for downloads.
    package init(files: any FileStore, blobs: any BlobStore, cache: DownloadCache = DownloadCache()) {
        self.files = files
        self.blobs = blobs
        served = BoundedCache(bound: cache.records)
        opened = BoundedCache(bound: cache.openBlobs)
    }

    /// The record with this id.
    ///
    /// - Throws: ``ServiceError/Code/objectNotFound`` if there is none.
    package func get(_ id: ObjectID, as caller: Caller) async throws -> FileRecord {
        guard let record = try await files.file(id: id) else {
            throw ServiceError(.objectNotFound, "Class or object doesn't exists.")
        }
        return record
    }

    /// Records from the newest to the oldest.
    package func newest(_ page: Page, as caller: Caller) async throws -> [FileRecord] {
        page.limit == 0 ? [] : try await files.newest(limit: page.limit, skip: page.skip)
    }

    /// How many files the app has.
    package func count(as caller: Caller) async throws -> Int {
        try await files.count()
    }

    /// Deletes a file, its row first and its bytes second; one that is gone already is no error.
    ///
    /// - Throws: ``ServiceError/Code/forbidden`` for everyone but the master key: deletion is closed until class
    ///   permissions open it (file-protocol 7).
    package func delete(_ id: ObjectID, as caller: Caller) async throws {
        try caller.requireMaster(to: "delete")
        guard let record = try await files.delete(id: id) else { return }
        served.remove(record.key)
        opened.remove(record.key)
        try await blobs.remove(record.key)
    }

    /// The file under a key, for whoever has the URL: URLs are public (file-protocol 7).
    package func find(_ key: FileKey) async throws -> ServedFile? {
        try await served.value(for: key) { try await files.file(key: key).map(ServedFile.init) }
    }

    /// The bytes of a file, opened for this caller alone.
    ///
    /// - Throws: ``ServiceError/Code/fileNotFound`` if a delete was faster.
    package func open(_ key: FileKey) async throws -> any OpenBlob {
        guard let blob = try await blobs.open(key) else { throw FileService.notFound }
        return blob
    }

    /// The bytes of a file, perhaps opened before and shared: read by position only.
    ///
    /// - Throws: ``ServiceError/Code/fileNotFound`` if a delete was faster.
    package func openShared(_ key: FileKey) async throws -> any OpenBlob {
        guard let blob = try await opened.value(for: key, loading: { try await blobs.open(key) })
        else { throw FileService.notFound }
        return blob
    }

    /// What a key that nobody has, or has no more, is answered with.
    package static let notFound = ServiceError(.fileNotFound, "File not found.")
}

/// Which part of a list is wanted.
package struct Page: Sendable, Hashable {
    /// 0 to 1000.
    package let limit: Int
    /// 0 or more.
    package let skip: Int

    /// Takes the numbers of a query: a limit beyond 1000 or below 0 acts as 100, the default (file-protocol 3.3).
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for a negative skip.
    package init(limit: Int? = nil, skip: Int? = nil) throws {
        guard (skip ?? 0) >= 0 else { throw ServiceError(.badRequest, "skip must not be negative.") }
        self.limit = limit.flatMap { (0...1000).contains($0) ? $0 : nil } ?? 100
        self.skip = skip ?? 0
    }
}
