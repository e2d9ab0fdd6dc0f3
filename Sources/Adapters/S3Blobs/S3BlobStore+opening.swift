package import Domain
internal import S3

extension S3BlobStore {
    package func open(_ blob: FileBlob) async throws -> (any OpenBlob)? {
        // A blob that is removed between the two requests is gone, unless the key has a new one by then.
        for _ in 0..<S3BlobStore.attempts {
            guard let object = try await find(blob) else { return nil }
            do {
                return try await open(object)
            } catch is MissingObject {
                known.remove(BlobName(blob.key))
            }
        }
        return nil
    }

    package func remote(_ blob: FileBlob) async throws -> (any RemoteBlob)? {
        guard let signer else { return nil }
        return try await find(blob).map { S3RemoteBlob(object: $0, signer: signer) }
    }

    private static let attempts = 3

    /// The object of a blob; `nil` if it does not exist.
    private func find(_ blob: FileBlob) async throws -> S3Object? {
        let name = BlobName(blob.key)
        if let last = await known.value(for: name, loading: { nil }) {
            if last.reader == blob {
                let found = try await reads.run { [bucket] in try bucket.client.head(last.object.key) }
                // A blob under this name has won before, and its bytes never change.
                if let found, found.size == last.object.size, found.tag == last.object.tag { return found }
            }
            known.remove(name)
        }
        let listed = { [reads, bucket] in
            try await reads.run {
                try bucket.listing(of: name).blob(for: blob).map { KnownBlob(reader: blob, object: $0.blob) }
            }
        }
        let found = try await known.value(for: name, loading: listed)
        // A reader with another record of the key can have been first.
        guard let found, found.reader != blob else { return found?.object }
        return try await listed()?.object
    }

    /// Opens an object; unless it is large, the whole one is fetched into the cache.
    ///
    /// Small ones have arrived before this returns, and of others the first bytes: so most errors come before a response
    /// has begun.
    ///
    /// - Throws: ``MissingObject`` if it was removed since it was listed.
    func open(_ object: S3Object) async throws -> any OpenBlob {
        let stored = try await stored(object)
        let large = S3LargeBlob(stored, client: bucket.client, cache: cache, threads: reads, settings: settings)
        guard stored.size <= settings.wholeSize else { return large }
        do {
            let arrival = try await cache.arrival(S3CacheName(stored, in: bucket.client.bucket), on: reads) {
                [client = bucket.client] writer in
                try S3BlobStore.fetch(stored, from: client, to: writer)
            }
            _ = try await arrival.reaching(stored.size > settings.followedSize ? S3CachedBlob.pieceSize : .max)
            return S3CachedBlob(arrival, of: stored, or: large, threads: reads)
        } catch is CacheFailure {
            // Without the cache's disk, the blob is read from the store as it is sent.
            return large
        }
    }

    /// How an object is read; the trailer of an encrypted one is requested once.
    private func stored(_ object: S3Object) async throws -> S3StoredBlob {
        guard bucket.encryption != nil else { return S3StoredBlob(plain: object) }
        let name = "\(object.key) \(object.tag) \(object.size)"
        if let stored = await trailers.value(for: name, loading: { nil }) { return stored }
        let stored = try await reads.run { [bucket] in
            do {
                return try S3StoredBlob(object, in: bucket)
            } catch let error as S3Error where error.reason == .missing {
                throw MissingObject()
            }
        }
        _ = await trailers.value(for: name) { stored.withoutContent }
        return stored
    }

    /// Writes a whole blob to the cache and compares it with the digest with which it was put; blocks.
    private static func fetch(_ stored: S3StoredBlob, from client: S3Client, to writer: S3CacheWriter) throws {
        for _ in 1...2 {
            var hasher = ContentHasher()
            switch try writer.fill(0..<stored.size, of: stored, from: client, { hasher.update($0) }) {
            case .contentHash(let expected): if hasher.finalize() == expected { return }
            case .sha256(let expected): if writer.sha256 == expected { return }
            // Another program has stored the object; its size is all that is known.
            case nil: return
            }
        }
        throw ServiceError.unreadable(
            UnreadableBlob("the S3 store has other bytes of '\(stored.object.key)' than were stored")
        )
    }
}

/// The object that a reader of a blob got last.
struct KnownBlob: Sendable {
    let reader: FileBlob
    let object: S3Object
}

/// The store has no such object any more.
struct MissingObject: Error {}
