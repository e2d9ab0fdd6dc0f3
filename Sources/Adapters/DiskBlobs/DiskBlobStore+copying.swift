internal import Domain
internal import Glibc
internal import NIOCore

/// Blobs from bytes that were staged elsewhere: in memory, or on another file system.
extension DiskBlobStore {
    /// The maximum number of bytes in memory for a copy.
    private static let pieceSize: Int64 = 1 << 20

    /// Copies staged bytes to a blob, and checks that they match the facts of the finished bytes.
    func copy(_ staged: any StagedBlob, _ facts: BlobFacts, to blob: BlobName) async throws {
        try await staged.synchronize()
        let draft = layout.newStagingPath(DiskBlobStore.copy)
        // The draft's name is always removed, also in a cancelled task: the blob has its own name.
        defer { unlink(draft) }
        let file = try await pool.runIfActive {
            OpenFile(try Descriptor(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600))
        }
        var hasher = BlobHasher(like: facts.digest)
        var offset: Int64 = 0
        while offset < facts.size {
            let count = Int(min(DiskBlobStore.pieceSize, facts.size - offset))
            let piece = try await staged.read(at: offset, count: count)
            guard piece.readableBytes > 0 else { break }
            piece.withUnsafeReadableBytes { hasher.update($0) }
            try await pool.runIfActive { [offset, health = pool.health] in
                try health.requireSpace()
                try piece.withUnsafeReadableBytes { try file.descriptor.write($0, at: offset) }
            }
            offset += Int64(piece.readableBytes)
        }
        guard offset == facts.size, hasher.digest == facts.digest else {
            throw ServiceError(.internalFailure, "Internal error.", cause: OtherStagedBytes())
        }
        try await pool.runIfActive { [layout] in
            let path = layout.path(of: blob)
            try layout.requireFree(blob)
            let folder = try layout.prepareFolder(of: path)
            try linkBlob(draft, path)
            try file.descriptor.synchronize()
            try layout.synchronize(folder)
        }
    }

    /// Removes a blob that ``copy(_:_:to:)`` created from staged bytes.
    ///
    /// The files of blobs do not record the upload for which they were stored, so the bytes are compared: an equal blob
    /// of another file under the same key would be removed as well.
    func undoCopy(of staged: any StagedBlob, at path: String) async throws {
        guard let blob = try await pool.runIfActive({ [pool] in try DiskOpenBlob(path: path, pool: pool) }),
            blob.size == (try await staged.extent())
        else { return }
        var offset: Int64 = 0
        while offset < blob.size {
            let count = Int(min(DiskBlobStore.pieceSize, blob.size - offset))
            let piece = try await blob.read(at: offset, count: count)
            guard try await staged.read(at: offset, count: count) == piece else { return }
            offset += Int64(count)
        }
        try await pool.runIfActive { [layout] in
            try DiskBlobStore.unlinkBlob(path)
            try synchronizeIfThere(layout.parent(path))
        }
    }
}

/// The error for staged bytes that do not match their size and digest.
private struct OtherStagedBytes: Error {}
