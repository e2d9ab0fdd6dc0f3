package import Domain
internal import Synchronization

/// The continuous backup of one app: generations in a repository, and a segment for the changes of every few seconds.
///
/// A generation begins with the first step, when the last one is old, and whenever the capture has lost its place.
/// ``step()`` and ``finish()`` block and are for one thread; the rest is for any.
package final class ContinuousBackup: Sendable {
    /// What a step did.
    package enum Outcome: Sendable, Equatable {
        /// A generation is whole; the number of files that it lacks because of damage.
        case began(damaged: Int)
        /// A segment was stored; the damaged files that it lacks.
        case stored(damage: [String])
        /// There was no change.
        case idle
        /// The capture lost its place for this reason; the next step begins a generation.
        case lost(String)
    }

    private struct State {
        var repository: BackupRepository?
        /// The generation that takes changes; `nil` if none does.
        var feed: GenerationFeed?
        /// The generation that begins while ``feed`` takes changes.
        var renewal: GenerationRenewal?
        /// When the next renewal can begin.
        var renewalTime = ContinuousClock.now
        /// When the repository is examined for generations of another server.
        var examinationTime = ContinuousClock.now
    }

    /// What other threads see during a step.
    private struct Shared {
        /// Since when no generation is whole that takes changes; `nil` if there is one.
        var uncovered: Timestamp? = .now()
        var feed: GenerationFeed?
        var captures: [any ChangeCapture] = []
        /// The generations that this process began.
        var own: Set<GenerationTime> = []
        /// Those of them whose manifests can exist although they get no segments.
        var unsure: Set<GenerationTime> = []
    }

    private let app: AppID
    private let storage: String
    private let target: @Sendable () throws -> any BackupTarget
    private let version: String
    private let engine: any BackupEngine
    private let makeCapture: @Sendable () -> any ChangeCapture
    private let settings: ContinuousBackupSettings
    private let state = Mutex(State())
    private let shared = Mutex(Shared())
    private let end = EndableTarget.End()

    private static let spool = "spool"
    /// The time between two looks for generations of another server.
    private static let examinationInterval = Duration.seconds(60)
    /// The time between two attempts to begin a generation while another one takes changes, in intervals.
    private static let renewalIntervals = 30

    /// Creates a backup, which does nothing yet.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - storage: The storage folder.
    ///   - target: Opens the repository's target; called until it succeeds.
    ///   - version: The version of lcfile, for the manifests.
    ///   - engine: Transfers blobs.
    ///   - capture: Creates a capture of the app's database, for each generation one.
    ///   - settings: When and how much.
    package init(
        of app: AppID,
        in storage: String,
        to target: @escaping @Sendable () throws -> any BackupTarget,
        version: String,
        with engine: any BackupEngine,
        capturing capture: @escaping @Sendable () -> any ChangeCapture,
        settings: ContinuousBackupSettings
    ) {
        self.app = app
        self.storage = StorageContents.trimmed(storage)
        self.target = target
        self.version = version
        self.engine = engine
        makeCapture = capture
        self.settings = settings
    }

    /// The seconds since the oldest change that is not in the repository, 0 if all are; and the bytes that wait.
    package var lag: (seconds: Double, bytes: Int64) {
        let (uncovered, feed) = shared.withLock { ($0.uncovered, $0.feed) }
        let lag: (oldest: Timestamp?, bytes: Int64) = feed?.lag ?? (nil, 0)
        let oldest = [uncovered, lag.oldest].compactMap(\.self).min()
        let seconds = oldest.map { Double(Timestamp.now().milliseconds - $0.milliseconds) / 1000 }
        return (max(0, seconds ?? 0), lag.bytes)
    }

    /// Reads what was committed, so that the checkpoints of the database have little to wait for.
    package func advance() {
        for capture in shared.withLock(\.captures) { capture.advance() }
    }

    /// Begins a generation, or stores the changes since the last step.
    ///
    /// - Throws: ``ExitError`` if it could not; the next call tries again.
    package func step() throws -> Outcome {
        try state.withLock { state in
            var outcome = Outcome.idle
            try AppCopy.sayingWhere("\(storage)/\(app)", "\(storage)/\(app)/\(engine.databaseName)") {
                outcome = try step(&state)
            }
            return outcome
        }
    }

    /// Stores the last changes, if a generation takes them, and ends.
    ///
    /// A restore takes the newest whole generation, so a renewal that became whole gets them.
    ///
    /// - Throws: ``ExitError`` if they could not be stored.
    package func finish() throws {
        end.come()
        try state.withLock { state in
            defer {
                state.feed?.end()
                state = State()
                shared.withLock { $0 = Shared() }
            }
            // A renewal that is not whole fails with its next call of the target.
            let renewed = try? state.renewal?.wait()
            // The feed of a renewal stores its segments through the same target, and no renewal runs any more.
            end.lift()
            if let renewed { takeLast(renewed, &state) }
            guard let feed = state.feed, feed.loss == nil else { return }
            try AppCopy.sayingWhere("\(storage)/\(app)", "\(storage)/\(app)/\(engine.databaseName)") {
                // The segment that waits, and what came after it.
                if try feed.ship() != nil { _ = try feed.ship() }
                // Only now, because until then the generation without segments can be the one with more changes.
                if let repository = state.repository { try removeUnsure(in: repository) }
            }
        }
    }

    /// Lets a renewal that became whole before the end take the last changes, unless its capture lost its place.
    private func takeLast(_ feed: GenerationFeed, _ state: inout State) {
        if feed.loss == nil {
            _ = take(feed, &state)
        } else {
            shared.withLock { _ = $0.unsure.insert(feed.time) }
            end(feed)
        }
    }

    private func step(_ state: inout State) throws -> Outcome {
        if let feed = state.feed, let loss = feed.loss {
            abandon(feed, &state)
            return .lost(loss)
        }
        if let renewal = state.renewal, state.feed == nil || renewal.hasEnded {
            state.renewal = nil
            state.renewalTime = .now + .seconds(settings.interval * ContinuousBackup.renewalIntervals)
            return try take(renewal.wait(), &state)
        }
        let repository = try state.repository ?? BackupRepository(target(), creating: true)
        state.repository = repository
        guard let feed = state.feed else { return try take(begin(in: repository), &state) }
        try examine(repository, &state)
        let damage = try feed.ship()
        if state.renewal == nil, state.renewalTime <= .now, feed.isOld(by: settings) {
            let target = EndableTarget(target: repository.target, end: end)
            let repository = try BackupRepository(target)
            state.renewal = GenerationRenewal { [self] in try begin(in: repository) }
        }
        return damage.map(Outcome.stored) ?? .idle
    }

    /// Begins a generation; blocks until it is whole.
    ///
    /// Another server that began later has the target, also when this one has lost its place.
    private func begin(in repository: BackupRepository) throws -> GenerationFeed {
        try refuseOther(in: repository)
        let spool = "\(storage)/\(app)/\(ContinuousBackup.spool)"
        if !StorageContents.exists(spool) { try StorageContents.makeFolder(spool) }
        let scratch = try ScratchFolder(in: spool)
        let capture = makeCapture()
        shared.withLock { $0.captures.append(capture) }
        let writer = GenerationWriter(
            storage: storage,
            app: app,
            repository: repository,
            version: version,
            engine: engine,
            capture: capture,
            maxWaiting: settings.maxWaiting
        )
        do {
            let feed = try writer.run(in: scratch) { time in
                shared.withLock { _ = $0.own.insert(time) }
            } onManifest: { time in
                shared.withLock { _ = $0.unsure.insert(time) }
            }
            shared.withLock { _ = $0.unsure.remove(feed.time) }
            return feed
        } catch {
            forget(capture)
            capture.end()
            scratch.remove()
            throw error
        }
    }

    /// Lets a new generation take the changes, which has all of the one before it.
    private func take(_ feed: GenerationFeed, _ state: inout State) -> Outcome {
        if let old = state.feed { end(old) }
        state.feed = feed
        shared.withLock { shared in
            shared.feed = feed
            shared.uncovered = nil
        }
        return .began(damaged: feed.damaged)
    }

    /// Ends the generation: what it does not have yet, only the next one has.
    private func abandon(_ feed: GenerationFeed, _ state: inout State) {
        shared.withLock { shared in
            shared.uncovered = shared.uncovered ?? feed.lag.oldest ?? .now()
            shared.feed = nil
        }
        end(feed)
        state.feed = nil
    }

    private func end(_ feed: GenerationFeed) {
        forget(feed.capture)
        feed.end()
    }

    private func forget(_ capture: any ChangeCapture) {
        shared.withLock { shared in shared.captures.removeAll { $0 === capture } }
    }

    /// Removes manifests of which it is not known whether they were stored, and looks for another server.
    private func examine(_ repository: BackupRepository, _ state: inout State) throws {
        // A running renewal can still store its manifest.
        if state.renewal == nil { try removeUnsure(in: repository) }
        guard state.examinationTime <= .now else { return }
        try refuseOther(in: repository)
        state.examinationTime = .now + ContinuousBackup.examinationInterval
    }

    /// Removes manifests of generations that get no segments, because a restore would take them.
    private func removeUnsure(in repository: BackupRepository) throws {
        let layout = BackupLayout(app)
        for time in shared.withLock(\.unsure) {
            try repository.target.remove([layout.object(.manifest, ofGeneration: time)])
            shared.withLock { _ = $0.unsure.remove(time) }
        }
    }

    /// Throws if another server began the newest generation after this one began its first.
    private func refuseOther(in repository: BackupRepository) throws {
        guard !shared.withLock(\.own).isEmpty else { return }
        let newest = try repository.generationTimes(of: app).last
        // After the listing, because a renewal that runs meanwhile adds its time before it stores anything.
        let own = shared.withLock(\.own)
        guard let newest, let first = own.min(), newest > first, !own.contains(newest) else { return }
        throw ExitError.storage(
            "another server began the generation \(app) \(newest) in \(repository.target); a target is for one server"
        )
    }
}
