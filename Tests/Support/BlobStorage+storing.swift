package import Domain
internal import NIOCore

extension BlobStorage {
    /// Creates a blob of a string, as the upload of a file does.
    package func store(_ text: String, as key: FileKey) async throws -> BlobFacts {
        let staged = try await staging.stage()
        let writer = staged.write(at: 0, digesting: [])
        try await writer.append(ByteBuffer(string: text))
        _ = try await writer.finish()
        let facts = try await staged.finish(size: Int64(text.utf8.count), needsMD5: false).blob
        try await commit(staged, facts, as: key, of: ObjectIDGenerator().next())
        await staged.discard()
        return facts
    }
}

extension MemoryBlobStore {
    /// Creates a blob of a string, as the upload of a file does.
    package func store(_ text: String, as key: FileKey) async throws -> BlobFacts {
        try await BlobStorage(staging: MemoryStagingArea(), blobs: self).store(text, as: key)
    }
}
