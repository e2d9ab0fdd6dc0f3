internal import Synchronization

/// The syncs of one open staged file: those that wait at the same time share one, and after one that failed none
/// succeeds.
///
/// Linux reports bytes that it could not write once for each open file, to one of the calls that run at that moment, and
/// takes them for written from then on (docs/storage-format.md, "Failing calls"). A repeated sync, or the one of another
/// part, would confirm bytes that are not on the disk.
///
/// Thread-safe; blocks.
final class FileSyncs: Sendable {
    private struct State {
        /// The last request whose bytes are on the disk, as those of all before it.
        var durable = 0
        var failure: (any Error)?
    }

    private let requests = Atomic<Int>(0)
    private let state = Mutex(State())
    private let failures: SyncFailures

    /// - Parameter failures: Counts the syncs that fail.
    init(_ failures: SyncFailures) {
        self.failures = failures
    }

    /// The number of calls of ``share(_:)``, also of those that wait.
    var calls: Int { requests.load(ordering: .acquiring) }

    /// Runs a sync, or waits for one that began after this call.
    ///
    /// - Throws: The error of the sync, and from then on in every call.
    func share(_ sync: () throws -> Void) throws {
        let request = requests.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            guard state.durable < request else { return }
            // All of these have written their bytes.
            let covered = calls
            try run(sync, &state)
            state.durable = covered
        }
    }

    /// Runs a sync of names and bytes, which no other one replaces.
    ///
    /// - Throws: As ``share(_:)``.
    func run(_ sync: () throws -> Void) throws {
        try state.withLock { try run(sync, &$0) }
    }

    private func run(_ sync: () throws -> Void, _ state: inout State) throws {
        if let failure = state.failure { throw failure }
        do {
            try sync()
        } catch {
            state.failure = error
            failures.count()
            throw error
        }
    }
}

/// The number of syncs of staged files that have failed since the start of the server.
final class SyncFailures: Sendable {
    private let number = Atomic<Int>(0)

    /// The number.
    var all: Int { number.load(ordering: .acquiring) }

    /// Counts one.
    func count() { number.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}
