internal import Synchronization

/// Whether the server can do all of its work now, for load balancers and operators.
///
/// A watcher records the results of its checks; a reader gets them from memory, so a flood of requests causes no check.
/// A check that does not report in time counts as failed, so one that hangs is not mistaken for success. Thread-safe.
package final class Readiness: Sendable {
    /// A kind of check, recorded separately, because one can hang while the others go on.
    package enum Check: CaseIterable, Sendable {
        /// Writes to the storage, and its free space.
        case storage
        /// A read of each database.
        case database
        /// A request to the store of blobs in a bucket.
        case blobs
        /// The queues of requests.
        case queues

        /// What a late result means.
        fileprivate var lateness: Obstacle {
            switch self {
            case .storage: .storageSlow
            case .database: .database
            case .blobs: .blobStore
            case .queues: .checks
            }
        }
    }

    /// A reason why the server is not ready.
    package enum Obstacle: String, CaseIterable, Sendable {
        /// The first checks have not ended.
        case starting
        /// The server has received the signal to stop.
        case stopping
        case storageFull = "storage-full"
        case storageReadOnly = "storage-read-only"
        case storageFailing = "storage-failing"
        case storageSlow = "storage-slow"
        /// Less free space than `disk.minFree`.
        case spaceLow = "space-low"
        case database = "database-unavailable"
        case blobStore = "blob-store-unavailable"
        case imageQueue = "image-queue-full"
        case passwordQueue = "password-queue-full"
        /// The checks themselves are late: the machine is overloaded.
        case checks = "checks-late"

        /// The message for clients without credentials: it names no path and no number.
        package var message: String {
            switch self {
            case .starting: "The server is starting."
            case .stopping: "The server is stopping."
            case .storageFull: "The server's storage is full."
            case .storageReadOnly: "The server's storage is read-only."
            case .storageFailing: "The server's storage cannot be read or written."
            case .storageSlow: "The server's storage does not answer in time."
            case .spaceLow: "The server's storage has little free space."
            case .database: "The database does not answer."
            case .blobStore: "The store of the files' bytes does not answer."
            case .imageQueue: "The queue of images is full."
            case .passwordQueue: "The queue of passwords is full."
            case .checks: "The server's checks of itself are late."
            }
        }
    }

    private struct State {
        var results: [Check: (obstacles: Set<Obstacle>, at: ContinuousClock.Instant)] = [:]
        var isStopping = false
    }

    /// The id of this start of the server: random hexadecimal digits, which clients compare and which mean nothing else.
    package let serverID: String = (0..<8).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal

    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// The maximum age of a result: the time in which the storage and the databases must answer.
    package static let bound = Duration.seconds(5)

    /// Creates the state before the first check: not ready, because the server starts.
    ///
    /// - Parameter now: Returns the current time; tests can change it.
    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// Records the result of a check; empty if it found no obstacle.
    package func record(_ check: Check, _ obstacles: Set<Obstacle>) {
        let now = now()
        state.withLock { $0.results[check] = (obstacles, now) }
    }

    /// Records that the server stops; it does not become ready again.
    package func stop() {
        state.withLock { $0.isStopping = true }
    }

    /// All current obstacles, in the order of their declaration; empty if the server is ready.
    package var obstacles: [Obstacle] {
        let now = now()
        let found = state.withLock { state -> Set<Obstacle> in
            var found: Set<Obstacle> = state.isStopping ? [.stopping] : []
            for check in Check.allCases {
                guard let result = state.results[check] else {
                    found.insert(.starting)
                    continue
                }
                found.formUnion(result.obstacles)
                if result.at.duration(to: now) > Readiness.bound { found.insert(check.lateness) }
            }
            return found
        }
        return Obstacle.allCases.filter(found.contains)
    }
}

extension Readiness.Obstacle {
    /// The obstacle that a fault of the storage is; `nil` for damage.
    ///
    /// One damaged file prevents only its own download. `/health` reports it.
    package init?(_ fault: StorageFault) {
        switch fault {
        case .full: self = .storageFull
        case .readOnly: self = .storageReadOnly
        case .failing: self = .storageFailing
        case .damaged: return nil
        }
    }
}
