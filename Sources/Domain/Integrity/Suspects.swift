internal import Synchronization

/// Files whose blobs showed damage while they were used; the scrubber reads them next.
///
/// Thread-safe. A suspect that is lost at the end of the server is found again at its next use, or by the round.
package final class Suspects: Sendable {
    private let ids = Mutex<Set<ObjectID>>([])
    let signal = WakeSignal()

    /// The maximum number of suspects; further ones are dropped.
    private static let limit = 1024

    /// Creates an empty list.
    package init() {}

    /// Adds a file; never blocks.
    package func insert(_ id: ObjectID) {
        let isNew = ids.withLock { ids in ids.count < Suspects.limit && ids.insert(id).inserted }
        if isNew { signal.set() }
    }

    /// Removes and returns all files.
    func takeAll() -> Set<ObjectID> {
        ids.withLock { ids in
            defer { ids = [] }
            return ids
        }
    }
}
