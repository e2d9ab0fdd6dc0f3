/// What a backup or a restore copied, for its last line.
package struct CopySummary: Sendable, Equatable {
    /// How many apps.
    package var apps = 0
    /// How many files.
    package var files = 0
    /// How many bytes those files have.
    package var bytes: Int64 = 0
    /// Files that were deleted while the backup ran, so that neither their records nor their bytes are in it.
    package var deleted = 0
    /// Files whose bytes are lost or spoilt in the storage itself, so that they are not in the backup either.
    package var damaged = 0
    /// The first of those, in words.
    package var firstDamage: String?

    /// Nothing copied yet.
    package init() {}
}
