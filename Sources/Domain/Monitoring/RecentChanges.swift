internal import Synchronization

/// The last changes of an app's objects, for an owner who watches them: in memory, of a bounded size, thread-safe.
///
/// It reads the change feed only while it is watched: the first reader begins, and the feed's next change after a minute
/// without a reader ends it. It stores what changed, not the objects. Changes of the server's own classes are not in it.
package final class RecentChanges: Sendable {
    /// A change.
    package struct Entry: Sendable {
        /// Its number; the next change has the next one.
        package let number: Int
        /// When it was published, after its commit.
        package let time: Timestamp
        /// The class of the object.
        package let className: ClassName
        /// The object.
        package let id: ObjectID
        /// The kind.
        package let kind: Change.Kind
        /// Who made it; `nil` for the server.
        package let caller: Caller?
    }

    /// A position in the changes: clients get it as a string, and continue with it.
    package struct Cursor: Sendable, Equatable, CustomStringConvertible {
        /// When the list began; positions of another list are unknown.
        let list: Int64
        /// The number of the last change before it.
        let number: Int

        /// The string.
        package var description: String { "\(list)-\(number)" }

        /// Parses ``description``; `nil` for other strings.
        package init?(_ text: String) {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let list = Int64(parts[0]), let number = Int(parts[1]), list >= 0, number >= 0
            else { return nil }
            self.init(list: list, number: number)
        }

        init(list: Int64, number: Int) {
            (self.list, self.number) = (list, number)
        }
    }

    /// The changes after a position.
    package struct Page: Sendable {
        /// The oldest first.
        package let entries: [Entry]
        /// The position after them.
        package let cursor: Cursor
        /// Whether there were changes that the list does not have any more.
        package let hasMissed: Bool
    }

    private struct State {
        var subscription: ChangeSubscription?
        var list: Int64 = 0
        var entries = RecentValues<Entry>(bound: RecentChanges.bound)
        var last = 0
        /// The number before which changes are missing.
        var missedBefore = 0
        var lastRead = ContinuousClock.Instant.now
        var waiters: [Int: WakeSignal] = [:]
        var nextWaiter = 0
        var isEnded = false
    }

    /// The maximum number of changes.
    package static let bound = 500
    /// The maximum number of readers that wait for a change.
    package static let readers = 16
    /// The longest time for which a reader waits.
    package static let longestWait = Duration.seconds(20)
    private static let idleTime = Duration.seconds(60)

    private let feed: ChangeFeed
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameters:
    ///   - feed: The app's changes.
    ///   - now: Returns the current time; tests can change it.
    package init(of feed: ChangeFeed, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.feed = feed
        self.now = now
    }

    /// Whether changes are being recorded.
    package var isWatching: Bool { state.withLock { $0.subscription != nil } }

    /// Ends all waits, and does not let later ones begin; called when the server stops.
    package func end() {
        let waiters = state.withLock { state in
            state.isEnded = true
            return state.waiters.values
        }
        for waiter in waiters { waiter.set() }
    }

    /// The changes after a position.
    ///
    /// - Parameters:
    ///   - cursor: The position; `nil` for all changes that the list has.
    ///   - classes: The classes; `nil` for all.
    ///   - wait: How long to wait for the first change, ``longestWait`` at most.
    ///   - caller: The caller, who needs the master key.
    /// - Returns: The changes; empty when the time is over.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; ``ServiceError/Code/overloaded`` if too many readers wait.
    package func changes(
        after cursor: Cursor?,
        in classes: Set<ClassName>?,
        waiting wait: Duration,
        as caller: Caller
    ) async throws -> Page {
        try caller.requireMasterKey()
        watch()
        var page = self.page(after: cursor, in: classes)
        guard cursor != nil, page.isEmpty, wait > .zero else { return page }
        let end = now() + min(wait, RecentChanges.longestWait)
        let (number, signal) = try addWaiter()
        defer { removeWaiter(number) }
        while true {
            page = self.page(after: page.cursor, in: classes)
            let isOver = state.withLock { $0.isEnded }
            guard page.isEmpty, !isOver, !Task.isCancelled, now() < end else { return page }
            await signal.wait(until: end)
        }
    }

    private func addWaiter() throws -> (Int, WakeSignal) {
        let signal = WakeSignal()
        let number = state.withLock { state -> Int? in
            guard state.waiters.count < RecentChanges.readers else { return nil }
            state.nextWaiter += 1
            state.waiters[state.nextWaiter] = signal
            return state.nextWaiter
        }
        guard let number else {
            throw ServiceError(.overloaded, "Too many clients wait for changes; try again later, or without wait.")
        }
        return (number, signal)
    }

    private func removeWaiter(_ number: Int) {
        let now = now()
        state.withLock { state in
            state.waiters[number] = nil
            state.lastRead = now
        }
    }

    private func page(after cursor: Cursor?, in classes: Set<ClassName>?) -> Page {
        let now = now()
        return state.withLock { state in
            state.lastRead = now
            let isKnown = cursor.map { $0.list == state.list && $0.number <= state.last } ?? true
            let start = isKnown ? cursor?.number ?? 0 : 0
            let first = state.entries.oldest?.number ?? state.last + 1
            let entries = state.entries.all.filter { $0.number > start && classes?.contains($0.className) ?? true }
            return Page(
                entries: entries,
                cursor: Cursor(list: state.list, number: state.last),
                hasMissed: cursor != nil && (!isKnown || start + 1 < first || start < state.missedBefore)
            )
        }
    }

    /// Begins to record changes, unless that has begun.
    private func watch() {
        let now = now()
        let isWatching = state.withLock { state in
            state.lastRead = now
            return state.subscription != nil
        }
        guard !isWatching else { return }
        let subscription = feed.subscribe { [weak self] event in self?.receive(event) }
        let isNew = state.withLock { state in
            // Another reader can have begun meanwhile.
            guard state.subscription == nil else { return false }
            state.subscription = subscription
            // Two lists can begin in one millisecond, and the clock can be set back.
            state.list = max(Timestamp.now().milliseconds, state.list + 1)
            return true
        }
        guard isNew else { return subscription.cancel() }
        _ = subscription.add(ChangeFilter(nil))
    }

    /// Records changes; called by writers, for which it must not wait.
    private func receive(_ event: ChangeFeed.Event) {
        let (time, now) = (Timestamp.now(), now())
        let (ended, waiters) = state.withLock { state -> (ChangeSubscription?, [WakeSignal]) in
            guard !state.waiters.isEmpty || state.lastRead.duration(to: now) < RecentChanges.idleTime else {
                state.entries.removeAll()
                state.last = 0
                state.missedBefore = 0
                return (state.subscription.take(), [])
            }
            switch event {
            case .missed:
                state.last += 1
                state.missedBefore = state.last
            case .changes(let changes):
                for change in changes where change.className.belongsToApp {
                    state.last += 1
                    state.entries.append(Entry(change, number: state.last, at: time))
                }
            }
            return (nil, Array(state.waiters.values))
        }
        ended?.cancel()
        for waiter in waiters { waiter.set() }
    }
}

extension RecentChanges.Page {
    /// Whether there is nothing to tell a reader who waits.
    fileprivate var isEmpty: Bool { entries.isEmpty && !hasMissed }
}

extension RecentChanges.Entry {
    fileprivate init(_ change: Change, number: Int, at time: Timestamp) {
        self.init(
            number: number,
            time: time,
            className: change.className,
            id: change.id,
            kind: change.kind,
            caller: change.caller
        )
    }
}

extension ClassName {
    /// Whether apps use the class; the others have the server's own state.
    fileprivate var belongsToApp: Bool { !isReserved || [.file, .user, .role].contains(self) }
}
