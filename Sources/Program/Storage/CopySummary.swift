/// The result of a backup or a restore, for its last line.
package struct CopySummary: Sendable, Equatable {
    /// The number of apps, without those whose databases are damaged.
    package var apps = 0
    /// The number of files.
    package var files = 0
    /// The size of those files in bytes.
    package var bytes: Int64 = 0
    /// The number of files that were deleted while the backup ran, so that neither their records nor their bytes are in
    /// it.
    package var deleted = 0
    /// The number of files whose bytes or records are lost or damaged in the storage itself, so that they are not in
    /// the backup.
    package var damaged = 0
    /// A description of the first damaged file.
    package var firstDamage: String?
    /// The number of files that a restored backup lacks, because they were damaged when it was made.
    package var lacking = 0
    /// The moment of the newest state without damage of the first app that lacks files, in ISO 8601; `nil` if the backup
    /// has no such state.
    package var completeMoment: String?
    /// The number of rows that do not match their checksums; they are in the backup as they are.
    package var damagedRows = 0
    /// A description of the first damaged row.
    package var firstDamagedRow: String?
    /// The number of databases with damaged pages: the backup contains them as they are, and cannot be restored.
    package var damagedDatabases = 0
    /// A description of the first damaged database: "/storage/app/lcfile.sqlite is damaged (…)".
    package var firstDamagedDatabase: String?

    /// Creates an empty summary.
    package init() {}
}
