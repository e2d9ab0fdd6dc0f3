internal import Domain

/// A whole snapshot of an app in a repository.
struct Snapshot {
    /// The names in the repository.
    let layout: BackupLayout
    /// The moment of its state.
    let time: SnapshotTime
    /// Its description.
    let manifest: BackupManifest
}

/// A snapshot as a list shows it.
package struct SnapshotFacts: Sendable, Equatable {
    /// The id of the app.
    package let app: String
    /// The moment of its state, in ISO 8601 with milliseconds.
    package let time: String
    /// The number of files.
    package let files: Int
    /// The size of those files in bytes.
    package let bytes: Int64
    /// The number of damaged files that were left out.
    package let damaged: Int
    /// The number of damaged rows in its database.
    package let damagedRows: Int
    /// The version of lcfile that made it.
    package let version: String

    init(_ snapshot: Snapshot) {
        app = snapshot.layout.app.description
        time = snapshot.time.timestamp.iso8601
        files = snapshot.manifest.fileCount
        bytes = snapshot.manifest.byteCount
        damaged = snapshot.manifest.damaged
        damagedRows = snapshot.manifest.damagedRows
        version = snapshot.manifest.version
    }
}
