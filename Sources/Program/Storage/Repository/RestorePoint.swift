internal import Domain

/// The states of apps that give the state of a storage folder at a moment.
struct RestorePoint {
    /// A state of each app.
    let states: [RestorableState]
    /// Apps that the storage had and of which there is no state, because their databases were damaged.
    let missing: [String]
    /// What is newer than ``states`` and cannot be read, with what else can be restored.
    let unreadable: [String]

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
        var unreadable: [(damage: DamagedManifest, advice: String)] = []
        var last: BackupManifest?
        for app in try repository.apps() {
            var damaged: [DamagedManifest] = []
            let states = try RestorePoint.newest(of: app, at: moment, in: repository) { damaged.append($0) }
            for manifest in states.map(\.manifest) where last.map({ manifest.time > $0.time }) ?? true {
                last = manifest
            }
            let state = states.max { $0.moment < $1.moment }
            if let state { newest.append(state) }
            for damage in damaged {
                guard try RestorePoint.isNewer(damage, than: state, at: moment, in: repository) else { continue }
                unreadable.append((damage, RestorePoint.advice(on: damage, leaving: state)))
            }
        }
        guard let last else {
            if let first = unreadable.first { throw ExitError.storage(first.advice) }
            let time = moment.map { " at or before \($0.iso8601)" } ?? ""
            throw ExitError.storage("\(repository.target) has no snapshot\(time)")
        }
        states = newest.filter { last.apps.contains($0.layout.app.description) }
        missing = last.apps.filter { app in !newest.contains { $0.layout.app.description == app } }
        self.unreadable = unreadable.filter { one in
            last.apps.contains(one.damage.layout.app.description) || one.damage.time > last.time
        }.map(\.advice)
    }

    /// Whether the owner of a manifest that cannot be read has a later moment than a state.
    private static func isNewer(
        _ damage: DamagedManifest,
        than state: RestorableState?,
        at moment: Timestamp?,
        in repository: BackupRepository
    ) throws -> Bool {
        if let moment, damage.time > moment { return false }
        guard let state else { return true }
        guard case .generation(let time) = damage.owner else { return damage.time > state.moment }
        return try repository.end(ofGeneration: time, of: damage.layout.app, until: moment) > state.moment
    }

    private static func advice(on damage: DamagedManifest, leaving state: RestorableState?) -> String {
        guard let state else { return "\(damage), and the app has no other state; --leave-out-damaged leaves it out" }
        return "\(damage); --leave-out-damaged or --at \(state.moment.iso8601) restores the newest state before it"
    }

    /// The moment of the newest state of an app, before another state, that has no damage and can be restored; `nil`
    /// without one.
    static func newestComplete(before state: RestorableState, in repository: BackupRepository) throws -> Timestamp? {
        let app = state.layout.app
        var moments: [Timestamp] = []
        // What cannot be read can have damage.
        let snapshots = try repository.snapshots(of: app) { _ in }
        for snapshot in snapshots where snapshot.manifest.isComplete {
            moments.append(snapshot.time.timestamp)
        }
        let generations = try repository.generations(of: app) { _ in }
        for generation in generations
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
        in repository: BackupRepository,
        onDamage: (DamagedManifest) throws -> Void
    ) throws -> [RestorableState] {
        func isInTime(_ time: Timestamp) -> Bool { moment.map { time <= $0 } ?? true }
        var states: [RestorableState] = []
        let snapshots = try repository.snapshots(of: app, onDamage: onDamage)
        if let snapshot = snapshots.last(where: { isInTime($0.time.timestamp) }) {
            states.append(RestorableState(source: .snapshot(snapshot)))
        }
        // The first segment of a generation has all changes from the time in which its base was stored, when the one
        // before it had them every few seconds.
        let generations = try repository.generations(of: app, onDamage: onDamage)
        for generation in generations.filter({ isInTime($0.time.timestamp) }).suffix(2).reversed() {
            let span = try repository.forEachSegment(of: generation, until: moment)
            states.append(RestorableState(source: .generation(generation, span)))
            if moment == nil || span.last != nil { break }
        }
        return states
    }
}
