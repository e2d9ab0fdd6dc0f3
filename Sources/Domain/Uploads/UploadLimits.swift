/// Limits on what is uploaded, each a setting.
package struct UploadLimits: Sendable {
    /// The most bytes of one file.
    package var fileSize: Int64
    /// The most bytes of UTF-8 in a file's name.
    package var nameLength: Int
    /// The most bytes that all files of an app may have, announced ones among them; nothing means no limit.
    package var quota: Int64?
    /// The most unfinished uploads of an app.
    package var open: Int
    /// Which types may be uploaded.
    package var types: TypePolicy
    /// The fewest bytes of a Kodo v2 part that is not the last.
    package var partSize: Int64
    /// The most bytes of a file's record, and of an upload's: those of any object.
    package var record: ObjectLimits
    /// Seconds until the first byte of an upload must have come.
    package var startTimeout: Int
    /// Seconds that an upload may take from its first byte on.
    package var expireAfter: Int
    /// The most streams of progress that are open at once.
    package var watchers: Int

    /// Takes every limit; the defaults are those of the settings.
    package init(
        fileSize: Int64 = 5 << 30,
        nameLength: Int = 255,
        quota: Int64? = nil,
        open: Int = 10_000,
        types: TypePolicy = .any,
        partSize: Int64 = 1 << 20,
        record: ObjectLimits = ObjectLimits(),
        startTimeout: Int = 3600,
        expireAfter: Int = 604_800,
        watchers: Int = 1000
    ) {
        self.fileSize = fileSize
        self.nameLength = nameLength
        self.quota = quota
        self.open = open
        self.types = types
        self.partSize = partSize
        self.record = record
        self.startTimeout = startTimeout
        self.expireAfter = expireAfter
        self.watchers = watchers
    }

    /// Throws ``ServiceError/Code/payloadTooLarge`` for a file of more bytes than one may have.
    func requireSize(_ size: Int64) throws {
        guard size <= fileSize else { throw Upload.tooLarge(limit: fileSize) }
    }
}
