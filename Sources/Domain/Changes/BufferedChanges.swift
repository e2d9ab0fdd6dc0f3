internal import Synchronization

extension ChangeFeed {
    /// A subscription whose events wait in memory, for a subscriber that takes its time.
    ///
    /// The subscription ends with the last reference to the result.
    ///
    /// - Parameters:
    ///   - filters: Which changes it wants.
    ///   - count: The most changes that wait.
    ///   - size: The most bytes of their states.
    /// - Returns: The events, for one reader.
    package func buffer(_ filters: [ChangeFilter], count: Int, size: Int) -> BufferedChanges {
        BufferedChanges(of: self, filters, ChangeBuffer(count: count, size: size))
    }
}

/// The events of a subscription, in order, as far as their reader keeps up.
///
/// The writer never waits for the reader. Where more changes would wait than the bounds allow, all that wait are
/// dropped, and the reader gets ``ChangeFeed/Event/missed`` in their place; what comes later follows it. One task
/// reads.
package final class BufferedChanges: AsyncSequence, Sendable {
    package typealias Element = ChangeFeed.Event
    package typealias Failure = Never

    private let buffer: ChangeBuffer
    private let subscription: ChangeSubscription

    fileprivate init(of feed: ChangeFeed, _ filters: [ChangeFilter], _ buffer: ChangeBuffer) {
        self.buffer = buffer
        subscription = feed.subscribe(to: filters) { buffer.put($0) }
    }

    deinit {
        subscription.cancel()
    }

    /// The reader; it ends when its task is cancelled.
    package func makeAsyncIterator() -> Iterator {
        Iterator(changes: self, wakes: buffer.wakes.makeAsyncIterator())
    }

    /// Reads events.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let changes: BufferedChanges
        fileprivate var wakes: AsyncStream<Void>.Iterator

        /// What waits, or the next that comes; nil if the task is cancelled.
        package mutating func next(isolation actor: isolated (any Actor)?) async -> ChangeFeed.Event? {
            while true {
                if let event = changes.buffer.take() { return event }
                guard await wakes.next(isolation: actor) != nil else { return nil }
            }
        }
    }
}

/// Changes that wait for a reader.
private final class ChangeBuffer: Sendable {
    private struct State {
        var changes: [Change] = []
        var size = 0
        /// Whether changes were dropped before those that wait.
        var hasMissed = false

        mutating func drop() {
            changes = []
            size = 0
            hasMissed = true
        }
    }

    private let count: Int
    private let size: Int
    private let state = Mutex(State())
    /// One element at most, however many events came since it was taken.
    let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(count: Int, size: Int) {
        self.count = count
        self.size = size
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func put(_ event: ChangeFeed.Event) {
        state.withLock { state in
            guard case .changes(let changes) = event else { return state.drop() }
            let size = state.size + changes.reduce(0) { $0 + $1.size }
            guard state.changes.count + changes.count <= count, size <= self.size else { return state.drop() }
            state.changes += changes
            state.size = size
        }
        wake.yield()
    }

    func take() -> ChangeFeed.Event? {
        state.withLock { state in
            if state.hasMissed {
                state.hasMissed = false
                return .missed
            }
            guard !state.changes.isEmpty else { return nil }
            defer {
                state.changes = []
                state.size = 0
            }
            return .changes(state.changes)
        }
    }
}
