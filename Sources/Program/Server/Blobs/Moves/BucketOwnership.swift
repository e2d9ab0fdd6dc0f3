internal import Domain
internal import S3Blobs
internal import Storage

/// The object `owners` of a bucket and the marker in an app's folder, as a move changes them (``BucketTakeover``).
///
/// Every call blocks.
struct BucketOwnership: Sendable {
    let owners: S3BlobOwners
    let folder: String
    /// The bucket's address, for messages.
    let address: String

    private func refused(_ refusal: BlobPlacement.Refusal) -> ExitError {
        refusal.error(folder: folder, bucket: address)
    }

    /// Takes a bucket without objects, or one that an earlier run has begun to fill from the folder.
    ///
    /// - Parameter schema: The id of the schema in PostgreSQL; `nil` with SQLite.
    /// - Returns: The ids that the bucket gets in the end.
    /// - Throws: ``ExitError`` if the bucket is that of another storage; errors of the store.
    func begin(schema: String?) throws -> [String] {
        let found = try owners.read()
        let takeover = BucketTakeover.ofFolder(
            found: found,
            hasObjects: try found == nil && owners.hasObjects(),
            schema: schema,
            prepared: try BlobMarker.readPrepared(in: folder)?.id,
            new: RandomString.lowercase(25)
        )
        let ids = try ids(of: takeover) ?? []
        // At no moment the bucket has only an id that the folder does not know.
        if found == nil { try prepare(ids) }
        try owners.write(BucketTakeover.retired(ids))
        if found != nil { try prepare(ids) }
        return ids
    }

    /// Switches to the bucket.
    func end(_ ids: [String]) throws {
        try owners.write(ids)
        for id in ids { try BlobMarker(id: id).write(in: folder) }
    }

    private func prepare(_ ids: [String]) throws {
        for id in ids { try BlobMarker(id: id).prepare(in: folder) }
    }

    /// Requires that the bucket is that of the marker, also if a switch from it was cut off.
    ///
    /// - Returns: The bucket's ids.
    @discardableResult func requireOwn() throws -> [String] {
        guard let found = try owners.read() else { throw refused(.bucketIsOther) }
        guard let marker = try BlobMarker.read(in: folder), BucketTakeover.current(found).ids.contains(marker.id) else {
            throw refused(.bucketOfOtherStorage)
        }
        return found
    }

    /// Switches to the folder; the id stays prepared, so that a later move finds the bucket again.
    func leave() throws {
        guard let marker = try BlobMarker.read(in: folder) else { return }
        try owners.write(BucketTakeover.retired([marker.id]))
        try marker.prepare(in: folder)
        try BlobMarker.remove(in: folder)
    }

    /// Takes a bucket for the blobs of another one: without objects, or one that an earlier run has begun to fill.
    ///
    /// - Parameter source: The bucket in use.
    /// - Returns: The ids; `nil` if the switch was done before.
    /// - Throws: ``ExitError`` if a bucket is that of another storage; errors of the stores.
    func begin(from source: BucketOwnership) throws -> [String]? {
        let found = try owners.read()
        let takeover = BucketTakeover.ofBucket(
            found: found,
            hasObjects: try found == nil && owners.hasObjects(),
            source: try source.requireOwn()
        )
        guard let ids = try ids(of: takeover) else { return nil }
        try owners.write(BucketTakeover.retired(ids))
        return ids
    }

    /// Switches: first no start accepts the other bucket any more, then this one is accepted.
    func end(_ ids: [String], from source: BucketOwnership) throws {
        try source.owners.write(BucketTakeover.retired(ids))
        try owners.write(ids)
    }

    private func ids(of takeover: BucketTakeover) throws -> [String]? {
        switch takeover {
        case .take(let ids): return ids
        case .done: return nil
        case .refuse(let refusal): throw refused(refusal)
        }
    }
}
