internal import Domain
package import S3

/// Where the bytes of files are.
package struct BlobConfiguration: Sendable {
    /// The bucket with the blobs and the staged bytes of all apps; `nil` for the storage folder.
    package var store: S3Location?
    /// The S3 store of the bucket.
    package var s3 = S3Configuration("blobs.s3")
    /// The store's URL for clients that downloads are redirected to; `nil` for that of the server.
    package var publicEndpoint: String?
    /// The maximum number of bytes of blobs that are cached in the storage folder, for all apps together.
    package var cacheSize: Int64 = 10 << 30

    /// Creates the default settings.
    package init() {}
}

extension ServerConfiguration {
    mutating func readBlobs(_ reader: inout SettingReader) {
        reader.value("blobs.store", "a bucket such as s3://files or s3://files/lcfile", into: &blobs.store) {
            S3Location($0)
        }
        reader.size("blobs.cacheSize", atMost: 1 << 50, into: &blobs.cacheSize)
        reader.number("blobs.threads", 2...1024, into: &threads.blobs)
        blobs.s3.read(&reader)
        reader.address("blobs.s3.publicEndpoint", into: &blobs.publicEndpoint)
    }

    /// Settings with which a server does not start, and that other commands can use.
    ///
    /// - Parameter appCount: The number of configured apps, with those that cannot be used.
    /// - Returns: All conflicts.
    func servingConflicts(appCount: Int) -> [SettingConflict] {
        guard appCount == 0, blobs.store != nil, !databaseURL.revealed.isEmpty else { return [] }
        let sentence =
            "blobs.store and database.url are set, with which several servers can serve the same apps, and each "
            + "server would generate an app of its own: set apps (docs/configuration.md)"
        return [SettingConflict("blobs.store", "database.url", sentence: sentence)]
    }

    /// Settings that do not fit to blobs in a bucket.
    var blobConflicts: [SettingConflict] {
        var conflicts = blobs.s3.conflicts
        guard blobs.store != nil else {
            if ([redirects.files] + apps.compactMap(\.downloadRedirects)).contains(where: { $0 != .off }) {
                let sentence =
                    "downloads.redirects (downloadRedirects of an app) sends clients to the store of blobs.store, which is "
                    + "not set"
                conflicts.append(SettingConflict("downloads.redirects", "blobs.store", sentence: sentence))
            }
            return conflicts
        }
        if backup.target != nil {
            let sentence =
                "backup.target copies blobs of the storage folder, and blobs.store is set: use 'lcfile backup' or the "
                + "bucket's versions and replication (docs/scale-out.md)"
            conflicts.append(SettingConflict("backup.target", "blobs.store", sentence: sentence))
        }
        return conflicts
    }
}
