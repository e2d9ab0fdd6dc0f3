internal import Domain
internal import Synchronization

/// Derivatives that are open already, so that those in demand cost no system call; for any thread.
///
/// Unlike ``BoundedCache`` it forgets all of one source, by looking at each: they are few.
final class OpenDerivatives: Sendable {
    private struct Entry {
        let file: DiskOpenDerivative
        var use: Int
    }

    private struct State {
        var entries: [DerivativeName: Entry] = [:]
        /// Counts uses.
        var uses = 0
        /// Counts removals, so that a file opened before one is not kept after it.
        var epoch = 0
    }

    private let bound: Int
    private let state = Mutex(State())

    /// - Parameter bound: The most files kept open.
    init(bound: Int) {
        self.bound = bound
    }

    /// How many removals there were: ``keep(_:under:since:)`` wants it from before the file was opened.
    var epoch: Int { state.withLock(\.epoch) }

    /// The file that is open for a derivative.
    func find(_ name: DerivativeName) -> DiskOpenDerivative? {
        state.withLock { state in
            state.uses += 1
            guard let place = state.entries.index(forKey: name) else { return nil }
            state.entries.values[place].use = state.uses
            return state.entries.values[place].file
        }
    }

    /// Keeps a file open, unless something was removed since an epoch: it may have been this one.
    func keep(_ file: DiskOpenDerivative, under name: DerivativeName, since epoch: Int) {
        change { state in
            guard state.epoch == epoch else { return }
            if state.entries.count >= bound {
                // Half of them at once, so that sorting is rare.
                let uses = state.entries.values.map(\.use).sorted()
                let median = uses[uses.count / 2]
                state.entries = state.entries.filter { $0.value.use >= median }
            }
            state.uses += 1
            state.entries[name] = Entry(file: file, use: state.uses)
        }
    }

    /// Forgets one derivative, which stays open for those who have it.
    func remove(_ name: DerivativeName) {
        change { state in
            state.epoch += 1
            state.entries[name] = nil
        }
    }

    /// Forgets all derivatives of a source, which stay open for those who have them.
    func remove(allOf source: String) {
        change { state in
            state.epoch += 1
            state.entries = state.entries.filter { $0.key.source != source }
        }
    }

    /// Files that go are closed after the lock: a file system may take its time with the last of a removed one.
    private func change(_ body: (inout State) -> Void) {
        let former = state.withLock { state in
            let former = state.entries
            body(&state)
            return former
        }
        withExtendedLifetime(former) {}
    }
}
