internal import Synchronization

/// What this server does with an upload at the moment: the locks and progress streams of its requests, and the bytes on
/// their way.
///
/// All requests of one upload that run on this server share it.
final class UploadUse: Sendable {
    let locks = PreemptiveLocks<Int>()
    let progressStreams = ProgressStreams()
    private let state = Mutex(State())

    struct State: Sendable {
        /// The bytes of parts that have arrived, by number: also those that are recorded meanwhile, so that none counts
        /// twice.
        var arrived: [Int: Int64] = [:]
        var blob: (any StagedBlob)?
        /// Whether a sweep that found the upload expired holds or waits for its locks; then no client holds them.
        var isExpiring = false
    }

    /// Reads or changes the state under its lock.
    func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in try body(&state) }
    }
}
