/// Limits on what is uploaded, each a setting.
package struct UploadLimits: Sendable {
    /// The most bytes of one file.
    package var fileSize: Int64
    /// The most bytes of UTF-8 in a file's name.
    package var nameLength: Int
    /// The most bytes that all files of an app may have, announced ones among them; `nil` means no limit.
    package var quota: Int64?
    /// The most unfinished uploads of an app's users together; those of the master key have no limit.
    package var open: Int
    /// The maximum of all guests together; at most ``open``.
    package var openGuests: Int
    /// The maximum of the guests at one client address; at most ``openGuests``.
    package var openAddress: Int
    /// The most of one user; at most ``open``.
    package var openUser: Int
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
    /// Seconds without a byte after which an upload of a guest expires.
    package var guestIdleTimeout: Int
    /// The most streams of progress that are open at once, of users' uploads, and as many of the master key's.
    package var watchers: Int
    /// The most of guests' uploads; at most ``watchers``.
    package var watchersGuests: Int

    /// Takes every limit; the defaults are those of the settings.
    package init(
        fileSize: Int64 = 5 << 30,
        nameLength: Int = 255,
        quota: Int64? = nil,
        open: Int = 10_000,
        openGuests: Int = 5000,
        openAddress: Int = 2500,
        openUser: Int = 1000,
        types: TypePolicy = .any,
        partSize: Int64 = 1 << 20,
        record: ObjectLimits = ObjectLimits(),
        startTimeout: Int = 3600,
        expireAfter: Int = 604_800,
        guestIdleTimeout: Int = 21_600,
        watchers: Int = 1000,
        watchersGuests: Int = 500
    ) {
        self.fileSize = fileSize
        self.nameLength = nameLength
        self.quota = quota
        self.open = open
        self.openGuests = openGuests
        self.openAddress = openAddress
        self.openUser = openUser
        self.types = types
        self.partSize = partSize
        self.record = record
        self.startTimeout = startTimeout
        self.expireAfter = expireAfter
        self.guestIdleTimeout = guestIdleTimeout
        self.watchers = watchers
        self.watchersGuests = watchersGuests
    }

    /// Throws ``ServiceError/Code/payloadTooLarge`` for a file of more bytes than one may have.
    func requireSize(_ size: Int64) throws {
        guard size <= fileSize else { throw StagedUpload.tooLarge(limit: fileSize) }
    }
}
