/// The limits of uploads, each a setting.
package struct UploadLimits: Sendable {
    /// The maximum size of a file in bytes.
    package var fileSize: Int64
    /// The maximum length of a file's name in bytes of UTF-8.
    package var nameLength: Int
    /// The same with the master key, for imports, if it is greater.
    package var masterNameLength: Int
    /// The maximum size of all files of an app in bytes, including announced ones; `nil` means no limit.
    package var quota: Int64?
    /// The maximum number of unfinished uploads of all users of an app; those of the master key have no limit.
    package var open: Int
    /// The maximum for all guests together; at most ``open``.
    package var openGuests: Int
    /// The maximum for the guests at one client address; at most ``openGuests``.
    package var openAddress: Int
    /// The maximum for one user; at most ``open``.
    package var openUser: Int
    /// The media types that are allowed.
    package var types: TypePolicy
    /// The minimum size in bytes of a Kodo v2 part that is not the last.
    package var partSize: Int64
    /// The limits of a file's record and of an upload's: those of any object.
    package var record: ObjectLimits
    /// Seconds within which the first byte of an upload must arrive.
    package var startTimeout: Int
    /// Seconds that an upload can take after its first byte.
    package var expireAfter: Int
    /// Seconds without a byte after which an upload of a guest expires.
    package var guestIdleTimeout: Int
    /// The maximum number of open progress streams of users' uploads, and separately of the master key's.
    package var watchers: Int
    /// The maximum for guests' uploads; at most ``watchers``.
    package var watchersGuests: Int

    /// Creates limits; the defaults are those of the settings.
    package init(
        fileSize: Int64 = 5 << 30,
        nameLength: Int = 255,
        masterNameLength: Int = 4096,
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
        self.masterNameLength = masterNameLength
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

    /// The maximum length in bytes of the name of a file that a caller creates.
    package func nameLength(for caller: Caller) -> Int {
        caller.isMaster ? max(nameLength, masterNameLength) : nameLength
    }

    /// Throws ``ServiceError/Code/payloadTooLarge`` for a size above the limit of a file.
    func requireSize(_ size: Int64) throws {
        guard size <= fileSize else { throw StagedUpload.tooLarge(limit: fileSize) }
    }
}
