internal import Domain
internal import NIOPosix

extension BlobMove {
    /// Why bytes could not be copied, although the first storage works.
    struct Damage: Error {
        let description: String
    }

    /// Copies bytes to a key of the second storage; they are compared with the digest of the record before they count.
    ///
    /// - Parameters:
    ///   - blob: The bytes; `nil` if there are none.
    ///   - file: The record.
    ///   - key: The key in the second storage.
    /// - Throws: ``Damage`` if the bytes are not those of the record; errors of the second storage.
    func copy(_ blob: (any OpenBlob)?, of file: FileEntry, to key: FileKey) async throws {
        guard let blob else { throw Damage(description: "has no bytes") }
        guard blob.size == file.facts.size else {
            throw Damage(description: "has \(blob.size) bytes, not the \(file.facts.size) that were uploaded")
        }
        let bytes = MovedBytes(blob: blob)
        do {
            do {
                try await target.blobs.put(bytes, file.facts, as: key, of: file.id)
            } catch let error as ServiceError where error.code == .duplicateValue {
                // No server uses the storage: an earlier run left it, of a file that has been deleted since.
                try await pool.runIfActive { [target] in try target.checked().removeAll(of: BlobName(key)) }
                try await target.blobs.put(bytes, file.facts, as: key, of: file.id)
            }
        } catch let error as ServiceError where [.internalFailure, .storageDamaged].contains(error.code) {
            try await target.blobs.undo(bytes, as: BlobName(key), of: file.id)
            let reason = error.cause.map { "\($0)" } ?? error.message
            throw Damage(description: "holds other bytes than were uploaded, or cannot be read (\(reason))")
        }
    }

    /// Opens bytes of the first storage.
    ///
    /// - Throws: ``Damage`` if they cannot be read.
    func opening(_ body: () async throws -> (any OpenBlob)?) async throws -> (any OpenBlob)? {
        do {
            return try await body()
        } catch let error as ServiceError where error.code == .storageDamaged {
            throw Damage(description: "cannot be read")
        }
    }
}
