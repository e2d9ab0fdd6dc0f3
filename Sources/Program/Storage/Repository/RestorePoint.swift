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

    /// The moment of the newest state of an app, before another state, that has no damage and can be restored; `nil`
    /// without one.
    static func newestComplete(before state: RestorableState, in repository: BackupRepository) throws -> Timestamp? {
        let app = state.layout.app
        var moments: [Timestamp] = []
        for snapshot in try repository.snapshots(of: app) where snapshot.manifest.isComplete {
            moments.append(snapshot.time.timestamp)
        }
        for generation in try repository.generations(of: app)
        where generation.manifest.isComplete && generation.time.timestamp < state.moment {
            let span = try repository.forEachSegment(of: generation, until: state.moment)
            if span.gap == nil { moments.append(span.end(of: generation)) }
        }
        return moments.filter { $0 < state.moment }.max()
    }

    /// The newest snapshot and the newest generation of an app, and the one before it if that is closer to the moment.
    private static func newest(
        of app: AppID,
        at moment: Timestamp?,
        in repository: BackupRepository
    ) throws -> [RestorableState] {
        func isInTime(_ time: Timestamp) -> Bool { moment.map { time <= $0 } ?? true }
        var states: [RestorableState] = []
        if let snapshot = try repository.snapshots(of: app).last(where: { isInTime($0.time.timestamp) }) {
            states.append(RestorableState(source: .snapshot(snapshot)))
        }
        // The first segment of a generation has all changes from the time in which its base was stored, when the one
        // before it had them every few seconds.
        let generations = try repository.generations(of: app).filter { isInTime($0.time.timestamp) }
        for generation in generations.suffix(2).reversed() {
            let span = try repository.forEachSegment(of: generation, until: moment)
            states.append(RestorableState(source: .generation(generation, span)))
            if moment == nil || span.last != nil { break }
        }
        return states
    }
}
