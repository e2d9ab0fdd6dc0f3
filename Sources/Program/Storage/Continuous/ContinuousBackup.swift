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
        var generation: GenerationWriter.Generation?
        var scratch: ScratchFolder?
        /// The segment that is not in the repository yet.
        var segment: SealedSegment?
    }

    private struct Waiting {
        /// Since when no generation is whole that takes changes; `nil` if there is one.
        var uncovered: Timestamp? = .now()
        /// The segment that is not in the repository yet.
        var segment: SealedSegment?
    }

    private let app: AppID
    private let storage: String
    private let target: @Sendable () throws -> any BackupTarget
    private let version: String
    private let engine: any BackupEngine
    private let capture: any ChangeCapture
    private let settings: ContinuousBackupSettings
    private let state = Mutex(State())
    private let waiting = Mutex(Waiting())

    private static let spool = "spool"

    /// Creates a backup, which does nothing yet.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - storage: The storage folder.
    ///   - target: Opens the repository's target; called until it succeeds.
    ///   - version: The version of lcfile, for the manifests.
    ///   - engine: Transfers blobs.
    ///   - capture: Captures the changes of the app's database.
    ///   - settings: When and how much.
    package init(
        of app: AppID,
        in storage: String,
        to target: @escaping @Sendable () throws -> any BackupTarget,
        version: String,
        with engine: any BackupEngine,
        capturing capture: any ChangeCapture,
        settings: ContinuousBackupSettings
    ) {
        self.app = app
        self.storage = StorageContents.trimmed(storage)
        self.target = target
        self.version = version
        self.engine = engine
        self.capture = capture
        self.settings = settings
    }

    /// The seconds since the oldest change that is not in the repository, 0 if all are; and the bytes that wait.
    package var lag: (seconds: Double, bytes: Int64) {
        let progress = capture.progress
        let waiting = waiting.withLock { $0 }
        let oldest = [waiting.uncovered, waiting.segment?.oldest, progress.oldest].compactMap(\.self).min()
        let seconds = oldest.map { Double(Timestamp.now().milliseconds - $0.milliseconds) / 1000 }
        return (max(0, seconds ?? 0), progress.size + (waiting.segment?.size ?? 0))
    }

    /// Reads what was committed, so that the checkpoints of the database have little to wait for.
    package func advance() {
        capture.advance()
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
    /// - Throws: ``ExitError`` if they could not be stored.
    package func finish() throws {
        try state.withLock { state in
            defer {
                capture.end()
                state.scratch?.remove()
                state = State()
            }
            guard capture.progress.loss == nil else { return }
            try AppCopy.sayingWhere("\(storage)/\(app)", "\(storage)/\(app)/\(engine.databaseName)") {
                // The segment that waits, and what came after it.
                if try ship(&state) != .idle { _ = try ship(&state) }
            }
        }
    }

    private func step(_ state: inout State) throws -> Outcome {
        if let loss = capture.progress.loss, state.generation != nil {
            abandon(&state)
            return .lost(loss)
        }
        guard let generation = state.generation else { return try begin(&state) }
        let outcome = try ship(&state)
        let age = Timestamp.now().milliseconds - generation.time.timestamp.milliseconds
        if age > Int64(settings.renewAfter) * 3_600_000 { return try begin(&state) }
        return outcome
    }

    private func begin(_ state: inout State) throws -> Outcome {
        let repository = try state.repository ?? BackupRepository(target(), creating: true)
        state.repository = repository
        let spool = "\(storage)/\(app)/\(ContinuousBackup.spool)"
        if !StorageContents.exists(spool) { try StorageContents.makeFolder(spool) }
        let scratch = try ScratchFolder(in: spool)
        let writer = GenerationWriter(
            storage: storage,
            app: app,
            target: repository.target,
            version: version,
            engine: engine,
            capture: capture,
            maxWaiting: settings.maxWaiting
        )
        do {
            let generation = try writer.run(in: scratch) { abandon(&state) }
            state.generation = generation
            state.scratch = scratch
            waiting.withLock { $0.uncovered = nil }
            return .began(damaged: generation.damaged)
        } catch {
            // The capture of the last generation continues if that of the new one has not begun.
            if state.generation == nil { capture.end() }
            scratch.remove()
            throw error
        }
    }

    private func ship(_ state: inout State) throws -> Outcome {
        guard let generation = state.generation, let repository = state.repository else { return .idle }
        if state.segment == nil {
            let segment = try capture.seal(number: generation.number + 1, previous: generation.digest)
            state.segment = segment
            waiting.withLock { $0.segment = segment }
        }
        guard let segment = state.segment else { return .idle }
        let shipment = SegmentShipment(
            source: "\(storage)/\(app)",
            layout: BackupLayout(app),
            target: repository.target,
            engine: engine
        )
        let damage = try shipment.run(segment, of: generation.time)
        state.generation?.number = segment.name.number
        state.generation?.digest = segment.digest
        drop(&state)
        return .stored(damage: damage)
    }

    /// Forgets the segment that waits.
    private func drop(_ state: inout State) {
        guard let segment = state.segment else { return }
        SegmentShipment.removeFiles(of: segment)
        capture.release(segment)
        state.segment = nil
        waiting.withLock { $0.segment = nil }
    }

    /// Ends the generation: what it does not have yet, only the next one has.
    private func abandon(_ state: inout State) {
        let oldest = capture.progress.oldest
        waiting.withLock { waiting in
            waiting.uncovered = waiting.uncovered ?? waiting.segment?.oldest ?? oldest ?? .now()
        }
        capture.end()
        drop(&state)
        state.generation = nil
        state.scratch?.remove()
        state.scratch = nil
    }
}
