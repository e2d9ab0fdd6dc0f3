package import Domain
internal import NIOCore
package import NIOPosix
package import S3

/// Blobs as objects in a bucket that several servers share, with a cache on the local disk.
///
/// Every blocking call runs on one of the given pools, whose sizes the server sets: they are the number of requests to
/// the store at the same time. Readers have a pool of their own, which a store that hangs for puts leaves free. The store
/// must list an object as soon as it has acknowledged it (AWS, Ceph and SeaweedFS do); it needs no conditional requests.
/// The names and the rules of a put are in docs/decisions/0005-blobs-in-s3.md.
package struct S3BlobStore: BlobStore {
    let bucket: S3BlobBucket
    let cache: S3FileCache
    let threads: S3Threads
    /// The threads of readers.
    let reads: S3Threads
    let settings: S3BlobSettings
    /// Signs the URLs with which clients get blobs; `nil` if they get none.
    let signer: S3URLSigner?
    /// The blobs of keys as this server saw them last; each is confirmed by the store before it is used.
    let known = BoundedCache<BlobName, KnownBlob>(bound: 10_000)
    /// The opened trailers of encrypted blobs, by names and ETags.
    let trailers = BoundedCache<String, S3StoredBlob>(bound: 1000)

    /// Creates a store; sends no request.
    ///
    /// - Parameters:
    ///   - client: The client of the bucket.
    ///   - layout: The names of the app's objects.
    ///   - cache: The cache, which stores of several apps can share.
    ///   - pool: Threads for requests.
    ///   - reads: Threads for the requests of readers and for reading the cache; `nil` takes those of the pool.
    ///   - settings: Sizes and times.
    ///   - signer: Signs the URLs with which clients get blobs from the bucket; `nil` if they get none. Clients cannot
    ///     read encrypted blobs, and get none.
    ///   - encryption: How blobs are encrypted; `nil` if they are not.
    package init(
        _ client: S3Client,
        layout: S3BlobLayout,
        cache: S3FileCache,
        pool: NIOThreadPool,
        reads: NIOThreadPool? = nil,
        settings: S3BlobSettings = S3BlobSettings(),
        signer: S3URLSigner? = nil,
        encryption: BlobEncryption? = nil
    ) {
        bucket = S3BlobBucket(client: client, layout: layout, encryption: encryption)
        self.cache = cache
        threads = S3Threads(pool: pool)
        self.reads = S3Threads(pool: reads ?? pool)
        self.settings = settings
        self.signer = encryption == nil ? signer : nil
    }

    package func put(
        _ staged: any StagedBlob,
        _ facts: BlobFacts,
        as key: FileKey,
        of file: ObjectID
    ) async throws {
        let blob = BlobName(key)
        // The notes of staged bytes in the bucket are durable already, and few bytes are only in memory.
        if !(staged is any S3CopyableBlob) { try await staged.synchronize() }
        // A large blob would be sent in vain.
        if facts.size > settings.singlePutSize {
            let isTaken = try await threads.run { [bucket] in
                try bucket.listing(of: blob).committed.contains { $0.file != file }
            }
            if isTaken { throw ServiceError.keyTaken }
        }
        try await threads.run { [bucket] in try bucket.claim(blob, for: file) }
        let sender = S3BlobSender(client: bucket.client, threads: threads, settings: settings)
        let new = S3NewBlob(
            name: bucket.layout.name(of: blob, file),
            facts: facts,
            file: file,
            app: bucket.layout.app,
            encryption: bucket.encryption
        )
        try await decide(blob, of: file, size: try await sender.send(staged, new))
    }

    package func undo(_ staged: any StagedBlob, as blob: BlobName, of file: ObjectID) async throws {
        try await threads.run { [bucket] in
            try bucket.abortUploads(of: blob, file)
            try bucket.withdraw(blob, of: file)
        }
        known.remove(blob)
    }

    /// Ends a put or a restoring whose blob is stored: waits for others that want the key, until one has it.
    ///
    /// - Parameters:
    ///   - blob: The name of the key's blob.
    ///   - file: The file.
    ///   - size: The size of the object.
    /// - Throws: ``ServiceError/Code/duplicateValue`` if another file has the key, after the blob is removed.
    func decide(_ blob: BlobName, of file: ObjectID, size: Int64) async throws {
        var end = ContinuousClock.now + settings.claimPatience
        var last: [ObjectID] = []
        while true {
            let listing = try await threads.run { [bucket] in try bucket.listing(of: blob, for: file) }
            let files = listing.entries.map(\.file)
            // While others withdraw, one after the other on a slow store, it is not late.
            if files != last { end = ContinuousClock.now + settings.claimPatience }
            last = files
            let isLate = ContinuousClock.now >= end
            switch listing.decision(for: file) {
            case .won:
                let found = listing.entries.first { $0.file == file }?.blob?.size ?? 0
                guard found == size else {
                    let cause = UnreadableBlob(size: found, expected: size)
                    throw ServiceError(.internalFailure, "Internal error.", cause: cause)
                }
                return try await threads.run { [bucket] in try bucket.release(blob, of: file) }
            case .unlisted where isLate:
                let name = bucket.layout.name(of: blob, file)
                throw ServiceError(S3Error(.unavailable, "the S3 store does not list '\(name)', which it has stored"))
            case .waits where isLate, .lost:
                try await threads.run { [bucket] in try bucket.withdraw(blob, of: file) }
                throw ServiceError.keyTaken
            case .waits, .unlisted: try await Task.sleep(for: .milliseconds(.random(in: 20...60)))
            }
        }
    }

    package let isShared = true

    package func remove(_ blobs: [FileBlob]) async throws -> [(any Error)?] {
        let names = try await threads.each(blobs) { [bucket] blob in
            let name = BlobName(blob.key)
            let listing = try bucket.listing(of: name)
            let listed = listing.blobs(of: blob).map(\.blob.key)
            // The usual names are known, and no list can lag behind them.
            let usual = [blob.file, blob.replaced].compactMap(\.self).map { bucket.layout.name(of: name, $0) }
            let blobs = Set(listed).union(usual).sorted()
            return blobs + listing.claims(of: blob).map { bucket.layout.claim(of: name, $0) }
        }
        let errors = try await delete(names.flatMap { (try? $0.get()) ?? [] })
        for blob in blobs { known.remove(BlobName(blob.key)) }
        return names.map { names in
            names.failure ?? ((try? names.get()) ?? []).lazy.compactMap { errors[$0] }.first
        }
    }

    /// Removes objects; returns the errors by their names.
    func delete(_ names: [String]) async throws -> [String: any Error] {
        guard !names.isEmpty else { return [:] }
        return try await threads.run { [bucket] in
            bucket.client.deleteReporting(names).mapValues { ServiceError($0) }
        }
    }

    /// Removes the parts that uploads of ended servers have left; ``undo(_:as:of:)`` does so for interrupted commits.
    ///
    /// - Parameter seconds: The age from which an upload counts as abandoned: more than the longest put.
    /// - Returns: The number of removed uploads, at most 1000.
    /// - Throws: Errors of the storage.
    package func abortUploads(olderThan seconds: Int64) async throws -> Int {
        try await threads.run { [bucket] in
            let now = Timestamp.now().wholeSeconds
            let uploads = try bucket.client.uploads(prefix: bucket.layout.blobsPrefix)
                .filter { $0.begun > 0 && $0.begun < now - seconds }
            for upload in uploads { try bucket.client.abort(upload) }
            return uploads.count
        }
    }
}
