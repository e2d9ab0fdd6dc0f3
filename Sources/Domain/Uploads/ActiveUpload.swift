internal import Synchronization

/// An upload in use: its stored state, its staged bytes, and its locks.
///
/// On a server that is alone each upload has at most one, and it is the truth. On a shared store each request has its
/// own, with the rows as it read them; what it decides of them, a transaction confirms (docs/scale-out.md).
final class ActiveUpload: Sendable {
    let id: ObjectID
    let use: UploadUse
    private let state: Mutex<State>

    struct State: Sendable {
        var stored: StoredUpload
        /// The estimated memory of a large description in bytes; `nil` if it is small, and always in ``stored``.
        let largeMemory: Int?
        /// The number of requests that use the large description.
        private var describers = 0
        /// Whether the description is in ``stored``.
        private(set) var isDescribed = true
        var layout = PartLayout()
        /// The ids of the stored parts, by number.
        var partIDs: [Int: ObjectID] = [:]
        /// The acknowledged bytes of incomplete blocks by their rows, by number.
        var held: [Int: Int64] = [:]
        /// Whether a request of any server began to write the part that grows, and did not record its end.
        var isGrowing = false
        /// The lease of the request that creates the file; `nil` on a store that is not shared.
        var lease: FinishLease?
        /// Whether a put under the name of the lease has begun and not become a file.
        var leavesPut = false
        /// Whether a commit failed in a way that leaves open whether the file exists; not used on a shared store.
        var isUndecided = false
        /// Whether the upload was cancelled or expired.
        var isEnded = false

        /// Takes what rows say; a large description only if requests use it already.
        init(_ found: UploadRecords.Found, describers: Int = 0) {
            stored = found.upload
            largeMemory = found.upload.largeMemory
            self.describers = describers
            omitUnused()
            for stored in found.parts {
                partIDs[stored.number] = stored.id
                if stored.number == UploadHandle.number { isGrowing = stored.sharing?.isOpen ?? false }
                guard let part = stored.part else {
                    held[stored.number] = stored.sharing?.held
                    continue
                }
                layout.restore(stored.number, part, unit: stored.unit)
            }
        }

        private mutating func omitUnused() {
            guard largeMemory != nil, describers == 0 else { return }
            stored.omitDescription()
            isDescribed = false
        }

        /// Replaces the stored state.
        mutating func replaceStored(by changed: StoredUpload) {
            let before = stored
            stored = changed
            guard largeMemory != nil else { return }
            if describers > 0, isDescribed { stored.takeDescription(of: before) } else { stored.omitDescription() }
        }

        /// Notes that one more request uses the description.
        mutating func beginDescribing() { describers += 1 }

        /// Takes a large description from the upload's row.
        mutating func describe(by row: StoredUpload) {
            stored.takeDescription(of: row)
            isDescribed = true
        }

        /// Notes that a request has ended; with the last one a large description is dropped.
        mutating func endDescribing() {
            describers -= 1
            omitUnused()
        }

        /// The state by newly read rows, for the same requests.
        func reread(_ found: UploadRecords.Found) -> State { State(found, describers: describers) }

        /// The number of bytes, given those of each part that have arrived here, recorded or not.
        func received(with arrived: [Int: Int64]) -> Int64 {
            held.merging(arrived) { $1 }.reduce(layout.received) { sum, entry in
                sum + max(0, entry.value - (layout.parts[entry.key]?.size ?? 0))
            }
        }
    }

    init(_ found: UploadRecords.Found, in use: UploadUse = UploadUse()) {
        id = found.upload.id
        self.use = use
        state = Mutex(State(found))
    }

    var locks: PreemptiveLocks<Int> { use.locks }
    var progressStreams: ProgressStreams { use.progressStreams }

    /// The stored state.
    var stored: StoredUpload { state.withLock(\.stored) }

    /// Reads or changes the state under its lock.
    func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in try body(&state) }
    }

    /// Replaces what is known of the rows.
    func update(_ found: UploadRecords.Found) {
        with { state in
            let before = state
            state = before.reread(found)
            (state.lease, state.leavesPut, state.isEnded) = (before.lease, before.leavesPut, before.isEnded)
        }
    }

    /// Notes that the upload is finished: its parts are in the file, or not needed any more.
    func finish(_ finished: StoredUpload) {
        with { state in
            state.replaceStored(by: finished)
            (state.lease, state.isUndecided) = (nil, false)
            guard finished.kind != .partial else { return }
            state.layout = PartLayout()
            state.partIDs = [:]
        }
        guard finished.kind != .partial else { return }
        use.with { $0.blob = nil }
        progressStreams.notify { progress }
        progressStreams.finish()
    }

    /// The progress of the upload.
    var progress: UploadProgress { progress(with: use.with(\.arrived)) }

    /// The progress of the upload, given the bytes of each part that have arrived on this server.
    func progress(with arrived: [Int: Int64]) -> UploadProgress {
        with { state in
            UploadProgress(
                id: id,
                key: state.stored.key,
                received: state.stored.isFinished && state.stored.kind != .partial
                    ? state.stored.size ?? 0 : state.received(with: arrived),
                size: state.stored.size,
                isStarted: state.stored.isStarted || !arrived.isEmpty,
                isFinished: state.stored.isFinished,
                expiresAt: state.stored.expiresAt
            )
        }
    }

    /// Counts bytes that arrive for a part.
    func count(_ bytes: Int64, for number: Int) {
        use.with { $0.arrived[number, default: 0] += bytes }
        progressStreams.notify { progress }
    }

    /// Sets how many bytes of a part have arrived; 0 leaves the recorded ones.
    func settle(_ number: Int, holding bytes: Int64 = 0) {
        use.with { $0.arrived[number] = bytes > 0 ? bytes : nil }
        progressStreams.notify { progress }
    }

    /// The staged bytes, opened once.
    func blob(in staging: any StagingArea) async throws -> any StagedBlob {
        if let blob = use.with(\.blob) { return blob }
        let opened = try await staging.stage(as: id)
        return use.with { use in
            // Another part's writer can have opened them first; all must write through the same value.
            let blob = use.blob ?? opened
            use.blob = blob
            return blob
        }
    }

    /// Syncs the bytes that a request wrote through a blob.
    ///
    /// - Throws: An error of the storage; which bytes are lost is unknown then, so the other requests that write through
    ///   the blob fail as well, and later ones open the bytes again.
    func synchronize(_ blob: any StagedBlob) async throws {
        do {
            try await blob.synchronize()
        } catch {
            use.with { $0.blob = nil }
            throw error
        }
    }
}
