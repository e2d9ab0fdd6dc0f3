package import Domain

/// Blobs by their keys, of any file that has one.
extension BlobStore {
    /// Opens the blob of a key.
    package func open(_ key: FileKey) async throws -> (any OpenBlob)? {
        try await open(FileBlob(key: key, file: nil))
    }

    /// Removes the blobs of keys.
    package func remove(_ keys: [FileKey]) async throws -> [(any Error)?] {
        try await remove(keys.map { FileBlob(key: $0, file: nil) })
    }

    /// Removes one blob; throws if the blob still exists.
    package func remove(_ key: FileKey) async throws {
        for case let failure? in try await remove([key]) { throw failure }
    }
}
