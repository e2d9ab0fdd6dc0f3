internal import Domain
internal import Glibc
internal import Synchronization

/// The names of staged files that failures of the storage left while the server runs.
///
/// Without this list they would stay until the next start.
final class UnsettledNames: Sendable {
    private struct State {
        var kept: Set<CommitNote> = []
        /// The paths of unneeded bytes whose removal failed.
        var removals: Set<String> = []
    }

    private let state = Mutex(State())

    /// The maximum number of paths; what a broken disk leaves beyond them is removed at the next start.
    private static let maxRemovals = 10_000

    /// Notes that a commit is undecided.
    func keep(_ note: CommitNote) {
        state.withLock { _ = $0.kept.insert(note) }
    }

    /// The note was decided, or its commit begins again.
    func release(_ note: CommitNote) {
        state.withLock { _ = $0.kept.remove(note) }
    }

    /// The undecided commits.
    var notes: [CommitNote] { state.withLock { Array($0.kept) } }

    /// The undecided commit of an upload, whose bytes have the name of the note.
    func note(of upload: ObjectID) -> CommitNote? {
        state.withLock { state in state.kept.first { $0.file == upload && !$0.isDraft } }
    }

    /// Removes a name; blocks.
    ///
    /// If that fails, ``retry()`` removes it later.
    ///
    /// - Returns: The error number of a failure.
    @discardableResult func remove(_ path: String) -> CInt? {
        guard unlink(path) != 0 else { return nil }
        let number = errno
        guard number != ENOENT else { return nil }
        state.withLock { state in
            if state.removals.count < UnsettledNames.maxRemovals { state.removals.insert(path) }
        }
        return number
    }

    /// Removes a name whose removal failed, before other bytes get it; blocks.
    ///
    /// Otherwise ``retry()`` would remove the bytes of an upload that the master key announced with the id of an ended one.
    ///
    /// - Throws: An error if the name still cannot be removed.
    func makeFree(_ path: String) throws {
        try state.withLock { state in
            guard state.removals.contains(path) else { return }
            guard unlink(path) == 0 || errno == ENOENT else { throw failure(of: "unlink", errno) }
            state.removals.remove(path)
        }
    }

    /// Removes the names whose removal failed; blocks.
    ///
    /// Each is removed while no other thread can make it free, because it could get other bytes in between.
    func retry() {
        for path in state.withLock(\.removals) {
            state.withLock { state in
                guard state.removals.contains(path), unlink(path) == 0 || errno == ENOENT else { return }
                state.removals.remove(path)
            }
        }
    }
}
