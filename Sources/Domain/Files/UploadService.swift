package import NIOCore

/// Limits on what is uploaded, each a setting.
package struct UploadLimits: Sendable {
    /// The most bytes of one file.
    package var fileSize: Int64
    /// The most bytes of UTF-8 in a file's name.
    package var nameLength: Int

    /// Takes both limits; the defaults are those of the settings.
    package init(fileSize: Int64 = 5 << 30, nameLength: Int = 255) {
        self.fileSize = fileSize
        self.nameLength = nameLength
    }
}

/// Takes bytes in for one app and makes files of them.
///
/// Bytes first, row second: a crash may leave a blob without a row, which costs room and harms nobody, never a row
/// without its bytes.
package struct UploadService: Sendable {
    /// What uploads are held to.
    package let limits: UploadLimits
    private let blobs: any BlobStore
    private let files: FileRecords
    private let types: any TypeDetector
    private let sessions: SessionService
    private let ids: ObjectIDGenerator
    private let clock: @Sendable () -> Timestamp

    /// Takes the app's stores, and time and ids as values for tests.
    package init(
        limits: UploadLimits,
        blobs: any BlobStore,
        files: FileRecords,
        types: any TypeDetector,
        sessions: SessionService,
        ids: ObjectIDGenerator = ObjectIDGenerator(),
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.limits = limits
        self.blobs = blobs
        self.files = files
        self.types = types
        self.sessions = sessions
        self.ids = ids
        self.clock = clock
    }

    /// Begins an upload; end it with ``commit(_:as:)`` or ``discard(_:)``.
    ///
    /// - Parameters:
    ///   - announced: How many bytes the client said it sends, if it did.
    ///   - caller: Who uploads.
    /// - Returns: What takes the bytes.
    /// - Throws: ``ServiceError/Code/forbidden``, and ``ServiceError/Code/payloadTooLarge`` if the announced size is over
    ///   the limit; both before a byte is read.
    package func begin(announced: Int64?, as caller: Caller) async throws -> Upload {
        try await files.requireCreating(as: caller)
        if let announced, announced > limits.fileSize { throw Upload.tooLarge(limit: limits.fileSize) }
        return Upload(blob: try await blobs.stage(), limit: limits.fileSize)
    }

    /// Makes files of finished uploads: all of them or none.
    ///
    /// On return bytes, folders and rows survive a power cut. On failure nothing of any upload is kept.
    package func commit(
        _ uploads: [(upload: Upload, description: UploadDescription)],
        as caller: Caller
    ) async throws
        -> [FileRecord]
    {
        var committed: [FileKey] = []
        do {
            // An upload takes its time; whoever began it may have been logged out since.
            let caller = try await sessions.lasting(caller)
            var records: [FileRecord] = []
            for (upload, description) in uploads {
                records.append(try await record(of: upload, description, as: caller))
            }
            for ((upload, _), record) in zip(uploads, records) {
                try await upload.blob.commit(as: record.key)
                committed.append(record.key)
            }
            try await files.insert(records, as: caller)
            return records
        } catch {
            for key in committed { try? await blobs.remove(key) }
            await discard(uploads.map(\.upload))
            throw error
        }
    }

    /// Gives uploads up; nothing of them is kept.
    package func discard(_ uploads: [Upload]) async {
        for upload in uploads { await upload.blob.discard() }
    }

    private func record(
        of upload: Upload,
        _ description: UploadDescription,
        as caller: Caller
    ) async throws -> FileRecord {
        var upload = upload
        let staged = try await upload.finish()
        try description.verify(staged.blob)
        let detected = try await types.type(of: staged.head)
        let byExtension = description.name.pathExtension.flatMap(types.type(ofExtension:))
        var metaData = description.metaData
        metaData["size"] = .integer(staged.blob.size)
        metaData["_checksum"] = .string(staged.blob.md5)
        metaData["owner"] = metaData["owner"] ?? .string(caller.user?.id.description ?? "unknown")
        return FileRecord(
            id: ids.next(),
            key: try .make(for: description.name, prefix: description.prefix, keepingName: description.keepsName),
            name: description.name,
            mediaType: description.mediaType ?? byExtension ?? detected ?? .octetStream,
            detectedType: detected,
            facts: staged.blob,
            metaData: metaData,
            acl: description.acl,
            createdAt: clock()
        )
    }
}

/// One file's bytes on their way in; used by one task at a time.
package struct Upload: Sendable {
    let blob: any StagedBlob
    private let limit: Int64
    private var received: Int64 = 0
    private var staged: StagedFacts?

    init(blob: any StagedBlob, limit: Int64) {
        self.blob = blob
        self.limit = limit
    }

    /// Adds bytes; throws ``ServiceError/Code/payloadTooLarge`` when they pass the limit.
    package mutating func append(_ bytes: ByteBuffer) async throws {
        received += Int64(bytes.readableBytes)
        guard received <= limit else { throw Upload.tooLarge(limit: limit) }
        try await blob.append(bytes)
    }

    /// Says that all bytes are there, so that none is held in memory any more; may be said again.
    @discardableResult
    package mutating func finish() async throws -> StagedFacts {
        if let staged { return staged }
        let facts = try await blob.finish()
        staged = facts
        return facts
    }

    static func tooLarge(limit: Int64) -> ServiceError {
        ServiceError(.payloadTooLarge, "The file is larger than \(limit) bytes, the limit (uploads.maxSize).")
    }
}
