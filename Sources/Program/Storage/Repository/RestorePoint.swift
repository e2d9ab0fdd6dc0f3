internal import Domain

/// The states of apps that give the state of a storage folder at a moment.
struct RestorePoint {
    /// A state of each app.
    let states: [RestorableState]
    /// Apps that the storage had and of which there is no state, because their databases were damaged.
    let missing: [String]

    /// Selects the newest state at or before a moment.
    ///
    /// The newest manifest tells which apps the storage had. Of each of them the newest state is taken: a snapshot, or
    /// the commits of a generation. It is an older one if the app's database was damaged when the newest backup was made.
    ///
    /// - Parameters:
    ///   - moment: The moment; `nil` for the newest state.
    ///   - repository: The repository.
    /// - Throws: ``ExitError`` if the repository has no state of that time.
    init(at moment: Timestamp?, in repository: BackupRepository) throws {
        var newest: [RestorableState] = []
        var last: BackupManifest?
        for app in try repository.apps() {
            let states = try RestorePoint.newest(of: app, at: moment, in: repository)
            for manifest in states.map(\.manifest) where last.map({ manifest.time > $0.time }) ?? true {
                last = manifest
            }
            if let state = states.max(by: { $0.moment < $1.moment }) { newest.append(state) }
        }
        guard let last else {
            let time = moment.map { " at or before \($0.iso8601)" } ?? ""
            throw ExitError.storage("\(repository.target) has no snapshot\(time)")
        }
        states = newest.filter { last.apps.contains($0.layout.app.description) }
        missing = last.apps.filter { app in !newest.contains { $0.layout.app.description == app } }
    }

    /// The newest snapshot and the newest generation of an app.
    private static func newest(
        of app: AppID,
        at moment: Timestamp?,
        in repository: BackupRepository
    ) throws -> [RestorableState] {
        func isInTime(_ time: SnapshotTime) -> Bool { moment.map { time.timestamp <= $0 } ?? true }
        var states: [RestorableState] = []
        if let snapshot = try repository.snapshots(of: app).last(where: { isInTime($0.time) }) {
            states.append(RestorableState(source: .snapshot(snapshot)))
        }
        if let generation = try repository.generations(of: app).last(where: { isInTime($0.time) }) {
            let span = try repository.forEachSegment(of: generation, until: moment)
            states.append(RestorableState(source: .generation(generation, span)))
        }
        return states
    }
}
