internal import Domain
package import S3
internal import S3Blobs

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

    /// The keys with which the server encrypts blobs in the bucket, in Base64; empty if it does not.
    var encryptionKeys: [Secret] = []
    /// What happens to blobs without encryption in the bucket of a server that encrypts.
    var unencrypted = Unencrypted.refuse

    /// What happens to blobs without encryption.
    enum Unencrypted: String, Sendable, CaseIterable {
        /// They count as damaged, and a bucket with them is refused.
        case refuse
        /// They are read as they are.
        case read
    }

    /// Creates the default settings.
    package init() {}

    /// The maximum number of keys: those of a rotation, and some of earlier ones.
    private static let maxKeys = 8

    /// The keys with which the server encrypts blobs; `nil` if it does not.
    var keys: BlobKeys? {
        let keys = encryptionKeys.compactMap { WrappingKey(base64: $0.revealed) }
        return BlobKeys(keys: keys, readsUnencrypted: unencrypted == .read)
    }

    /// Parses keys, separated by commas or white space; `nil` if one is malformed or occurs twice.
    static func keys(_ text: String) -> [Secret]? {
        let keys = text.split { $0 == "," || $0.isWhitespace }
        let ids = keys.compactMap { WrappingKey(base64: $0)?.id }
        guard (1...maxKeys).contains(keys.count), Set(ids).count == keys.count else { return nil }
        return keys.map { Secret(String($0)) }
    }

    mutating func readEncryption(_ reader: inout SettingReader) {
        let keys = "1 to \(BlobConfiguration.maxKeys) different keys of 32 bytes in Base64, separated by commas"
        reader.secrets("blobs.encryption.keys", keys, into: &encryptionKeys) { BlobConfiguration.keys($0) }
        let kinds = Unencrypted.allCases.map(\.rawValue).joined(separator: ", ")
        reader.value("blobs.encryption.unencrypted", kinds, into: &unencrypted) { Unencrypted(rawValue: $0) }
    }
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
        blobs.readEncryption(&reader)
    }

    /// Settings with which a server does not start, and that other commands can use.
    ///
    /// - Parameter appCount: The number of configured apps, with those that cannot be used.
    /// - Returns: All conflicts.
    func servingConflicts(appCount: Int) -> [SettingConflict] {
        guard appCount == 0, blobs.store != nil, !databaseURL.revealed.isEmpty else { return backupConflicts }
        let sentence =
            "blobs.store and database.url are set, with which several servers can serve the same apps, and each "
            + "server would generate an app of its own: set apps (docs/configuration.md)"
        return backupConflicts + [SettingConflict("blobs.store", "database.url", sentence: sentence)]
    }

    private var redirectsDownloads: Bool {
        ([redirects.files] + apps.compactMap(\.downloadRedirects)).contains { $0 != .off }
    }

    private var encryptionConflicts: [SettingConflict] {
        let name = "blobs.encryption.keys"
        guard !blobs.encryptionKeys.isEmpty else {
            guard blobs.unencrypted == .read else { return [] }
            let sentence = "blobs.encryption.unencrypted: read needs \(name), which is not set"
            return [SettingConflict("blobs.encryption.unencrypted", name, sentence: sentence)]
        }
        var conflicts: [SettingConflict] = []
        if blobs.store == nil {
            let sentence = "\(name) encrypts blobs in the bucket of blobs.store, which is not set"
            conflicts.append(SettingConflict(name, "blobs.store", sentence: sentence))
        }
        if redirectsDownloads {
            let sentence =
                "downloads.redirects (downloadRedirects of an app) sends clients to the bucket, and \(name) encrypts what "
                + "is there: clients have no keys"
            conflicts.append(SettingConflict(name, "downloads.redirects", sentence: sentence))
        }
        return conflicts
    }

    private var sharedCacheConflicts: [SettingConflict] {
        guard sharedDerivatives > 0 else { return [] }
        var conflicts: [SettingConflict] = []
        let name = "images.sharedCache"
        if blobs.store == nil {
            let sentence = "\(name) keeps derivatives in the bucket of blobs.store, which is not set"
            conflicts.append(SettingConflict(name, "blobs.store", sentence: sentence))
        }
        if derivativeCache == 0 {
            let sentence = "\(name) needs a cache on the disk, from which derivatives are sent: images.cacheSize is 0"
            conflicts.append(SettingConflict(name, "images.cacheSize", sentence: sentence))
        }
        return conflicts
    }

    /// Settings that do not fit to blobs in a bucket.
    var blobConflicts: [SettingConflict] {
        var conflicts = blobs.s3.conflicts + encryptionConflicts + sharedCacheConflicts
        guard blobs.store != nil else {
            if redirectsDownloads {
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
