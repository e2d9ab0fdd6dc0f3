/// What a backup or a restore copied, for its last line.
package struct CopySummary: Sendable, Equatable {
    /// How many apps, without those whose databases are damaged.
    package var apps = 0
    /// How many files.
    package var files = 0
    /// How many bytes those files have.
    package var bytes: Int64 = 0
    /// Files that were deleted while the backup ran, so that neither their records nor their bytes are in it.
    package var deleted = 0
    /// Files whose bytes or records are lost or spoilt in the storage itself, so that they are not in the backup
    /// either.
    package var damaged = 0
    /// A description of the first one.
    package var firstDamage: String?
    /// Databases whose pages are damaged: they are in the backup as they are, and it cannot be restored.
    package var damagedDatabases = 0
    /// The first of those with what is wrong: "/storage/app/lcfile.sqlite is damaged (…)".
    package var firstDamagedDatabase: String?

    /// Nothing copied yet.
    package init() {}
}
