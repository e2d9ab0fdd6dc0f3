package import Domain
internal import S3

/// The trash as objects beside the blobs, by copies that the store makes itself: of at most 5 GB on AWS.
extension S3BlobStore {
    package func moveToTrash(_ blobs: [TrashedBlob]) async throws -> [(any Error)?] {
        let results = try await threads.each(blobs) { [bucket] in try bucket.moveToTrash($0) }
        for blob in blobs { known.remove(BlobName(blob.key)) }
        return results.map(\.failure)
    }

    package func restore(_ blob: TrashedBlob) async throws -> Bool {
        let name = BlobName(blob.key)
        let (trashed, listing) = try await threads.run { [bucket] in
            (try bucket.trashed(blob.entry), try bucket.listing(of: name))
        }
        guard let (file, bytes) = trashed else { return !listing.blobs(of: blob.blob).isEmpty }
        let committed = listing.committed
        if committed.contains(where: { $0.file != file }) { throw ServiceError.keyTaken }
        if committed.contains(where: { $0.file == file }) { return true }
        // What a failure leaves, the next attempt uses, and the move that reverts it removes.
        try await threads.run { [bucket] in
            try bucket.claim(name, for: file)
            try bucket.client.copy(bytes.key, to: bucket.layout.name(of: name, file))
        }
        try await decide(name, of: file, size: bytes.size)
        return true
    }

    package func open(trashed entry: ObjectID) async throws -> (any OpenBlob)? {
        for _ in 0..<2 {
            let bytes = try await threads.run { [bucket] in try bucket.trashed(entry)?.bytes }
            guard let bytes else { return nil }
            // Bytes that are removed between the two requests are gone.
            do { return try await open(bytes) } catch is MissingObject {}
        }
        return nil
    }

    package func removeFromTrash(_ entries: [ObjectID]) async throws -> [(any Error)?] {
        let names = try await threads.each(entries) { [bucket] in try bucket.trashed($0)?.bytes.key }
        let errors = try await delete(names.compactMap { (try? $0.get()) ?? nil })
        return names.map { name in name.failure ?? ((try? name.get()) ?? nil).flatMap { errors[$0] } }
    }
}

extension S3BlobBucket {
    /// Moves the blob of a key to the trash.
    fileprivate func moveToTrash(_ blob: TrashedBlob) throws(S3Error) {
        let name = BlobName(blob.key)
        let trashed = try trashed(blob.entry)
        let listing = try listing(of: name)
        if let trashed {
            // An earlier call has moved the blob, so any other file's is a later one; this file's was restored since.
            guard listing.entries.contains(where: { $0.file == trashed.file }) else { return }
            return try withdraw(name, of: trashed.file)
        }
        let blobs = listing.blobs(of: blob.blob)
        // Of a known file the last one is that of the record; of an unknown one each can be.
        for (file, bytes) in blob.blob.file == nil ? blobs : blobs.suffix(1) {
            try client.copy(bytes.key, to: layout.name(ofTrashed: blob.entry, file))
        }
        try client.delete(blobs.map(\.blob.key))
        try client.delete(listing.claims(of: blob.blob).map { layout.claim(of: name, $0) })
    }
}
