internal import Synchronization

/// An upload in use: its stored state, its staged bytes, and its locks.
///
/// There is one for each upload at most.
final class ActiveUpload: Sendable {
    let id: ObjectID
    let locks = PreemptiveLocks<Int>()
    let progressStreams = ProgressStreams()
    private let state: Mutex<State>

    struct State: Sendable {
        var stored: StoredUpload
        var layout = PartLayout()
        /// Ids of the objects that parts are stored as.
        var partIDs: [Int: ObjectID] = [:]
        /// Received bytes of parts that are not stored yet, by number.
        var inFlight: [Int: Int64] = [:]
        var blob: (any StagedBlob)?
        /// Whether it was cancelled or expired.
        var isEnded = false
        /// Whether a sweep, which found its time over, waits for its locks or holds them: no client does.
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

    /// Its stored state.
    var stored: StoredUpload { state.withLock(\.stored) }

    /// Looks at the state, or changes it, at once.
    func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in try body(&state) }
    }

    /// How far it came.
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

    /// Counts bytes that came for a part.
    func count(_ bytes: Int64, for number: Int) {
        with { $0.inFlight[number, default: 0] += bytes }
        progressStreams.notify { progress }
    }

    /// Says how many of the bytes that came for a part are there, besides those that are recorded.
    func settle(_ number: Int, holding bytes: Int64 = 0) {
        with { $0.inFlight[number] = bytes > 0 ? bytes : nil }
        progressStreams.notify { progress }
    }

    /// Its staged bytes, opened once.
    func blob(in staging: any StagingArea) async throws -> any StagedBlob {
        if let blob = with(\.blob) { return blob }
        let opened = try await staging.stage(as: id)
        return with { state in
            // Another part's writer may have been faster; all must write through the same one.
            let blob = state.blob ?? opened
            state.blob = blob
            return blob
        }
    }
}
