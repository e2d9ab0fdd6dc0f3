internal import Synchronization

/// The right to create the file of an upload on a shared store.
struct FinishLease: Sendable, Hashable {
    /// The random id of the holder.
    let id: String
    /// The upload, which is also the file.
    let upload: ObjectID
    /// The number of earlier leases whose holders did not end them, or whose puts failed.
    let abandoned: Int

    /// The id under which the holder puts the blob.
    var put: ObjectID { PutName(file: upload, number: abandoned).id }

    /// The ids under which holders of earlier leases can have put a blob.
    ///
    /// A holder undoes them before its own put, so those before were undone more than once.
    var abandonedPuts: [ObjectID] {
        (max(0, abandoned - FinishLease.maxUndone)..<abandoned).map { PutName(file: upload, number: $0).id }
    }

    /// Bounds the work of an upload that a client finishes again and again while the store fails.
    private static let maxUndone = 16
}

/// Decides which leases are dead, by the time for which this server itself saw them without a renewal.
///
/// The clocks of the servers are not compared: only the monotonic clock of this one counts.
final class LeaseWatch: Sendable {
    private struct Seen {
        let lease: SharedUploadState.Lease
        let since: ContinuousClock.Instant
    }

    private let seen = Mutex<[ObjectID: Seen]>([:])
    let timing: LeaseTiming

    /// The number of leases beyond which those are forgotten that were first seen long ago.
    private static let maxSeen = 1000

    init(_ timing: LeaseTiming) {
        self.timing = timing
    }

    /// Notes that an upload has a lease; returns whether its holder has ended.
    func isDead(_ lease: SharedUploadState.Lease, of upload: ObjectID) -> Bool {
        let now = timing.now()
        return seen.withLock { seen in
            if let before = seen[upload], before.lease == lease { return now - before.since >= timing.patience }
            if seen.count >= LeaseWatch.maxSeen { seen = seen.filter { now - $0.value.since < .seconds(600) } }
            seen[upload] = Seen(lease: lease, since: now)
            return false
        }
    }
}

/// The times of leases.
package struct LeaseTiming: Sendable {
    /// The time without a renewal after which a lease is dead.
    ///
    /// Below the time-outs of most clients. A holder that is only slow loses work and nothing else.
    package var patience = Duration.seconds(15)
    /// The time after which a holder renews its lease.
    package var renewal = Duration.seconds(3)
    /// The time for which a request waits for another server.
    package var bound = Duration.seconds(90)
    /// The time between two looks at a lease.
    package var interval = Duration.milliseconds(250)
    /// The monotonic clock.
    package var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Waits until the next look at a lease.
    package var wait: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Waits until the next renewal.
    package var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Creates the times that servers use.
    package init() {}
}
