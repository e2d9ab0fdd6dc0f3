package import Domain
internal import Synchronization

/// Rows of objects in memory, from which reads by id are answered without a thread and a connection.
///
/// A cached row is the one of the last commit, never an earlier one. A commit removes the rows that it changes before
/// any reader can see it, and none of them comes back before it has ended: a reader stores a row only if every commit
/// that changed it had ended before the reader's snapshot began. Commits of one database follow each other. Thread-safe.
package final class RowCache: Sendable {
    /// A point between commits, before the snapshot of a reader begins.
    struct Moment: Sendable {
        /// The number of the last commit that has ended.
        fileprivate let ended: Int
    }

    private struct State {
        var rows: RecentEntries<Pointer, ObjectRow>
        /// The number of the last commit that has removed the rows that it changes.
        var begun = 0
        /// The number of the last commit that has ended; equal to ``begun`` between commits.
        var ended = 0
        /// For each slot, the number of the last commit that changed one of its rows.
        var changes = [Int](repeating: 0, count: RowCache.slots)
    }

    /// The number of slots; rows share one by their hashes, so that memory does not grow with the changed rows.
    private static let slots = 4096
    /// The maximum size of a row in bytes: a larger one is read and rendered on a thread of the database, because the read
    /// from memory can run on an event loop, and rendering takes time.
    private static let largest = 64 << 10
    /// What a row takes beside its JSON, about: its id and its class, the dictionary, the heads of its arrays.
    private static let overhead = 320

    private let state: Mutex<State>
    /// The look-ups that read rows by id: whether the cache had all of them.
    package let counts = CacheCounts()
    /// Whether rows are cached at all.
    let isEnabled: Bool

    /// - Parameter bound: The maximum memory of the rows in bytes; 0 disables the cache.
    init(bound: Int) {
        isEnabled = bound > 0
        state = Mutex(State(rows: RecentEntries(bound: bound) { $0.size + RowCache.overhead }))
    }

    /// The current moment; ask for it before the snapshot from which rows are stored.
    var moment: Moment { Moment(ended: state.withLock(\.ended)) }

    /// A cached row, and the number of commits before it; rows with the same number are of the same state.
    func row(_ object: Pointer) -> (row: ObjectRow, commits: Int)? {
        state.withLock { state in
            state.rows.value(for: object).map { ($0, state.begun) }
        }
    }

    /// Stores a row of a snapshot that began after a moment, unless a commit can have changed the row since.
    func store(_ row: ObjectRow, of object: Pointer, readAfter moment: Moment) {
        guard row.size <= RowCache.largest else { return }
        let slot = RowCache.slot(of: object)
        state.withLock { state in
            if state.changes[slot] <= moment.ended { state.rows.store(row, for: object) }
        }
    }

    /// Removes the rows that a transaction has changed; called before its commit.
    ///
    /// Rows that the transaction created need not be named, because no reader has found them.
    func willCommit(_ changed: [Pointer]) {
        guard isEnabled else { return }
        state.withLock { state in
            state.begun += 1
            for object in changed {
                state.rows.remove(object)
                state.changes[RowCache.slot(of: object)] = state.begun
            }
        }
    }

    /// Ends the commit, whether or not it succeeded; without one it does nothing.
    func didCommit() {
        state.withLock { $0.ended = $0.begun }
    }

    private static func slot(of object: Pointer) -> Int {
        // The number of slots is a power of two.
        object.hashValue & (slots - 1)
    }
}
