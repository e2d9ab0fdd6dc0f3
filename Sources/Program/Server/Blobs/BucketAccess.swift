internal import DiskBlobs
internal import Domain
internal import S3
internal import S3Backups
internal import S3Blobs
internal import Storage
internal import Synchronization

/// The access of commands to the buckets with the blobs of apps.
///
/// Every call blocks.
final class BucketAccess: Sendable {
    private let settings: @Sendable () throws -> BlobConfiguration
    private let known = Mutex<[String: Bucket]>([:])

    /// The objects of one app.
    struct Bucket: Sendable {
        let client: S3Client
        let layout: S3BlobLayout
        let keys: BlobKeys?
        var encryption: BlobEncryption?

        /// The object with the ids of those to whom the blobs belong.
        var owners: S3BlobOwners { S3BlobOwners(client, layout: layout, keys: keys) }

        /// The objects as `lcfile check` reads them.
        var checked: S3CheckedBlobs { S3CheckedBlobs(client, layout: layout, encryption: encryption) }

        /// The blobs as objects of a repository, of which copies are made.
        var repository: BlobRepository {
            let target: any BackupTarget =
                if let encryption {
                    SealedBlobTarget(client, layout: layout, encryption: encryption)
                } else {
                    S3BackupTarget(client, prefix: String(layout.root.dropLast()))
                }
            let blobs = checked
            return BlobRepository(target: target) { [layout] file in
                String(layout.name(of: BlobName(file.key), file.id).dropFirst(layout.root.count))
            } searching: { [layout] file in
                // The put of a later lease has another name (``PutName``).
                do {
                    return try blobs.name(of: file).map { String($0.dropFirst(layout.root.count)) }
                } catch {
                    throw ExitError.storage("s3://\(client.bucket.name)/\(layout.root) (blobs.store): \(error)")
                }
            }
        }
    }

    /// - Parameter settings: Reads the settings `blobs.*`; called only for an app whose blobs are in a bucket.
    init(_ settings: @escaping @Sendable () throws -> BlobConfiguration) {
        self.settings = settings
    }

    /// The bucket with the blobs of an app's folder; `nil` if they are in the folder.
    ///
    /// - Throws: ``ExitError`` if it is not known, cannot be reached, or is that of another storage.
    func bucket(of folder: String) throws -> Bucket? {
        if let bucket = known.withLock({ $0[folder] }) { return bucket }
        guard let marker = try BlobMarker.read(in: folder) else { return nil }
        let configuration = try settings()
        guard let location = configuration.store else {
            throw ExitError.configuration(
                "the blobs of \(folder) are in a bucket; set blobs.store (--config, LCFILE_BLOBS_STORE)"
            )
        }
        let app = folder.split(separator: "/").last.map(String.init) ?? folder
        var bucket = Bucket(
            client: try configuration.s3.client(for: location),
            layout: S3BlobLayout(prefix: location.prefix, app: app),
            keys: configuration.keys
        )
        let address = "s3://\(location.bucket)/\(bucket.layout.root)"
        let owners: [String]?
        do {
            owners = try bucket.owners.read()
            bucket.encryption = try bucket.owners.encryption()
        } catch {
            throw ExitError.storage("\(address) (blobs.store): \(error)")
        }
        guard let owners else { throw BlobPlacement.Refusal.bucketIsOther.error(folder: folder, bucket: address) }
        guard owners.contains(marker.id) else {
            throw BlobPlacement.Refusal.bucketOfOtherStorage.error(folder: folder, bucket: address)
        }
        let found = bucket
        known.withLock { $0[folder] = found }
        return found
    }
}

extension BlobConfiguration {
    /// Whether the bucket has the blobs of an app's folder, and not the folder; blocks.
    ///
    /// - Throws: `ExitError` if they are in another bucket, or the keys are not theirs.
    package func hasBlobs(ofApp folder: String) throws -> Bool {
        try BucketAccess { self }.bucket(of: folder) != nil
    }
}
