internal import Domain

/// The snapshots that give the state of a storage folder at a moment.
struct RestorePoint {
    /// A snapshot for each app.
    let snapshots: [Snapshot]
    /// Apps that the storage had and of which there is no snapshot, because their databases were damaged.
    let missing: [String]

    /// Selects the newest state at or before a moment.
    ///
    /// The newest snapshot of all apps tells which apps the storage had. Of each of them the newest snapshot is taken,
    /// which is an older one if its database was damaged when the newest backup was made.
    ///
    /// - Parameters:
    ///   - moment: The moment; `nil` for the newest state.
    ///   - repository: The repository.
    /// - Throws: ``ExitError`` if the repository has no snapshot of that time.
    init(at moment: Timestamp?, in repository: BackupRepository) throws {
        var newest: [Snapshot] = []
        for app in try repository.apps() {
            let snapshot = try repository.snapshots(of: app).last { snapshot in
                moment.map { snapshot.time.timestamp <= $0 } ?? true
            }
            if let snapshot { newest.append(snapshot) }
        }
        guard let last = newest.max(by: { $0.time < $1.time }) else {
            let time = moment.map { " at or before \($0.iso8601)" } ?? ""
            throw ExitError.storage("\(repository.target) has no snapshot\(time)")
        }
        snapshots = newest.filter { last.manifest.apps.contains($0.layout.app.description) }
        missing = last.manifest.apps.filter { app in !newest.contains { $0.layout.app.description == app } }
    }
}
