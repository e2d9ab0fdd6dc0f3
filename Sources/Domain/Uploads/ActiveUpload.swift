internal import Synchronization

/// An upload in use: its stored state, its staged bytes, and its locks.
///
/// Each upload has at most one.
final class ActiveUpload: Sendable {
    let id: ObjectID
    let locks = PreemptiveLocks<Int>()
    let progressStreams = ProgressStreams()
    private let state: Mutex<State>

    struct State: Sendable {
        var stored: StoredUpload
        var layout = PartLayout()
        /// The ids of the stored parts, by number.
        var partIDs: [Int: ObjectID] = [:]
        /// The received bytes of parts that are not stored yet, by number.
        var inFlight: [Int: Int64] = [:]
        var blob: (any StagedBlob)?
        /// Whether the upload was cancelled or expired.
        var isEnded = false
        /// Whether a sweep that found it expired holds or waits for its locks; then no client holds them.
        var isExpiring = false
    }

    init(_ found: UploadRecords.Found) {
        id = found.upload.id
        var state = State(stored: found.upload)
        for stored in found.parts {
            state.layout.restore(stored.number, stored.part, unit: stored.unit)
            state.partIDs[stored.number] = stored.id
        }
        self.state = Mutex(state)
    }

    /// The stored state.
    var stored: StoredUpload { state.withLock(\.stored) }

    /// Reads or changes the state under its lock.
    func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in try body(&state) }
    }

    /// The progress of the upload.
    var progress: UploadProgress {
        with { state in
            UploadProgress(
                id: id,
                key: state.stored.key,
                received: state.stored.isFinished && state.stored.kind != .partial
                    ? state.stored.size ?? 0 : state.layout.received + state.inFlight.values.reduce(0, +),
                size: state.stored.size,
                isStarted: state.stored.isStarted || !state.inFlight.isEmpty,
                isFinished: state.stored.isFinished,
                expiresAt: state.stored.expiresAt
            )
        }
    }

    /// Counts received bytes of a part.
    func count(_ bytes: Int64, for number: Int) {
        with { $0.inFlight[number, default: 0] += bytes }
        progressStreams.notify { progress }
    }

    /// Sets how many received bytes of a part are stored but not recorded.
    func settle(_ number: Int, holding bytes: Int64 = 0) {
        with { $0.inFlight[number] = bytes > 0 ? bytes : nil }
        progressStreams.notify { progress }
    }

    /// The staged bytes, opened once.
    func blob(in staging: any StagingArea) async throws -> any StagedBlob {
        if let blob = with(\.blob) { return blob }
        let opened = try await staging.stage(as: id)
        return with { state in
            // Another part's writer can have opened them first; all must write through the same value.
            let blob = state.blob ?? opened
            state.blob = blob
            return blob
        }
    }
}
