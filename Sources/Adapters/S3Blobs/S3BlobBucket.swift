internal import Domain
internal import S3

/// The objects of an app's blobs in a bucket.
///
/// Every call blocks.
struct S3BlobBucket: Sendable {
    let client: S3Client
    let layout: S3BlobLayout
    /// How new blobs are encrypted; `nil` if they are not.
    let encryption: BlobEncryption?

    /// What the bucket has under a key.
    func listing(of blob: BlobName) throws(S3Error) -> S3BlobListing {
        let prefix = layout.prefix(of: blob)
        var listing = S3BlobListing(try objects(prefix: prefix), prefix: prefix)
        // Where lists lag behind removals, a put that has ended would seem to go on.
        for entry in listing.entries where entry.isClaimed && entry.blob != nil {
            if try client.head(layout.claim(of: blob, entry.file)) == nil { listing.release(entry.file) }
        }
        return listing
    }

    /// What the bucket has under a key, for the put of a file that ends.
    ///
    /// What others have is confirmed one by one. Another put can have withdrawn while the list was made, between the
    /// names of its blob and of its claim, and must not look as if it had won; and lists can lag behind removals.
    func listing(of blob: BlobName, for file: ObjectID) throws(S3Error) -> S3BlobListing {
        var listing = try listing(of: blob)
        for entry in listing.entries where entry.file != file {
            if entry.isClaimed, try client.head(layout.claim(of: blob, entry.file)) != nil { continue }
            // A put withdraws its blob before its claim, so a blob without a claim has won.
            listing.settle(entry.file, try client.head(layout.name(of: blob, entry.file)))
        }
        return listing
    }

    /// The bytes of an entry in the trash, with the file that had them; `nil` if there are none.
    func trashed(_ entry: ObjectID) throws(S3Error) -> (file: ObjectID, bytes: S3Object)? {
        let prefix = layout.prefix(ofTrashed: entry)
        for object in try objects(prefix: prefix) {
            if let file = ObjectID(String(object.key.dropFirst(prefix.count))) { return (file, object) }
        }
        return nil
    }

    /// All objects whose names begin with a prefix; few, because the prefix has a digest or an id.
    private func objects(prefix: String) throws(S3Error) -> [S3Object] {
        var found: [S3Object] = []
        while true {
            let page = try client.list(prefix: prefix, after: found.last?.key)
            // A store could list more than requested.
            found += page.objects.filter { $0.key.hasPrefix(prefix) }
            guard page.hasMore, !page.objects.isEmpty else { return found }
        }
    }

    /// Announces that the file's blob gets the key.
    func claim(_ blob: BlobName, for file: ObjectID) throws(S3Error) {
        try client.put(layout.claim(of: blob, file), S3Content([]))
    }

    /// Ends a put that has won: from now on readers see the blob.
    func release(_ blob: BlobName, of file: ObjectID) throws(S3Error) {
        try client.delete([layout.claim(of: blob, file)])
    }

    /// Removes what a put has left: the blob, then its claim, so that no reader takes the blob for one that has won.
    func withdraw(_ blob: BlobName, of file: ObjectID) throws(S3Error) {
        try client.delete([layout.name(of: blob, file)])
        try release(blob, of: file)
    }

    /// Removes the parts that interrupted uploads of a blob have left.
    func abortUploads(of blob: BlobName, _ file: ObjectID) throws(S3Error) {
        let name = layout.name(of: blob, file)
        for upload in try client.uploads(prefix: name) where upload.key == name { try client.abort(upload) }
    }
}
