package import Domain
internal import S3

/// Reads the blobs in a bucket for the scrubber, one piece at a time, and past the cache: the bytes come from the store,
/// and what clients read often stays cached.
package struct S3BlobInspection: BlobInspection {
    private let store: S3BlobStore

    /// The size of a piece in bytes.
    private static let pieceSize: Int64 = 4 << 20

    /// Creates the access to the blobs of a store; sends no request.
    package init(_ store: S3BlobStore) {
        self.store = store
    }

    package func inspect(
        _ file: FileEntry,
        pause: @escaping @Sendable (Int, Duration) async throws -> Void
    ) async throws -> BlobCondition {
        guard let (object, isOwn) = try await object(of: file) else { return .missing }
        let condition = try await inspect(object, of: file, pause: pause)
        // Another one's is the file's if it has the bytes.
        return isOwn || condition == .whole ? condition : .missing
    }

    private func inspect(
        _ object: S3Object,
        of file: FileEntry,
        pause: @escaping @Sendable (Int, Duration) async throws -> Void
    ) async throws -> BlobCondition {
        let stored: S3StoredBlob
        do {
            stored = try await store.threads.run { [bucket = store.bucket] in
                try S3StoredBlob(object, in: bucket).withoutContent
            }
        } catch let error as ServiceError {
            return try S3BlobInspection.condition(error)
        }
        guard stored.size == file.facts.size else {
            return .wrongSize(stored.size, file.facts)
        }
        var hasher = BlobHasher(like: file.facts.digest)
        var offset: Int64 = 0
        while offset < stored.size {
            let began = ContinuousClock.now
            let range = offset..<min(stored.size, offset + S3BlobInspection.pieceSize)
            let before = hasher
            do {
                hasher = try await store.threads.run { [client = store.bucket.client] in
                    var hasher = before
                    try stored.read(range, from: client) { hasher.update($0) }
                    return hasher
                }
            } catch let error as ServiceError {
                return try S3BlobInspection.condition(error)
            }
            offset = range.upperBound
            try await pause(range.count, .now - began)
        }
        return hasher.digest == file.facts.digest ? .whole : .otherBytes(than: file.facts)
    }

    /// What an error of reading says of the blob; throws one of the store.
    private static func condition(_ error: ServiceError) throws -> BlobCondition {
        if (error.cause as? S3Error)?.reason == .missing { return .missing }
        guard let cause = error.cause as? UnreadableBlob else { throw error }
        return .damaged("cannot be read: \(cause)")
    }

    package func identity(of file: FileEntry) async throws -> String? {
        try await object(of: file).map { object, _ in "\(object.key) \(object.tag) \(object.size)" }
    }

    /// The object that readers of the file get, and whether it is the file's own; `nil` if there is none.
    private func object(of file: FileEntry) async throws -> (object: S3Object, isOwn: Bool)? {
        try await store.threads.run { [bucket = store.bucket] in
            try bucket.listing(of: BlobName(file.key)).blob(for: file.blob).map { found in
                (found.blob, file.blob.isPut(under: found.file))
            }
        }
    }
}
