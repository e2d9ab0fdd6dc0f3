internal import Synchronization

extension ChangeFeed {
    /// Subscribes with a buffer in memory, for a subscriber that handles events asynchronously.
    ///
    /// The subscription ends with the last reference to the result.
    ///
    /// - Parameters:
    ///   - filters: The changes to receive.
    ///   - count: The maximum number of buffered changes.
    ///   - size: The maximum size of their states, in bytes.
    /// - Returns: The events, for one reader.
    package func buffer(_ filters: [ChangeFilter], count: Int, size: Int) -> BufferedChanges {
        BufferedChanges(of: self, filters, ChangeBuffer(count: count, size: size))
    }
}

/// The buffered events of a subscription, in order.
///
/// The writer never waits for the reader. When the buffer would exceed its limits, all buffered changes are dropped,
/// and the reader gets ``ChangeFeed/Event/missed`` in their place, followed by later changes. One task reads.
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

    /// Creates the reader; it ends when its task is cancelled.
    package func makeAsyncIterator() -> Iterator {
        Iterator(changes: self, wakes: buffer.wakes.makeAsyncIterator())
    }

    /// The reader of the events.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let changes: BufferedChanges
        fileprivate var wakes: AsyncStream<Void>.Iterator

        /// The buffered event, or the next one when it arrives; `nil` if the task is cancelled.
        package mutating func next(isolation actor: isolated (any Actor)?) async -> ChangeFeed.Event? {
            while true {
                if let event = changes.buffer.take() { return event }
                guard await wakes.next(isolation: actor) != nil else { return nil }
            }
        }
    }
}

/// The changes that wait for a reader.
private final class ChangeBuffer: Sendable {
    private struct State {
        var changes: [Change] = []
        var size = 0
        /// Whether changes were dropped before the buffered ones.
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
    /// At most one element, for any number of events since the last read.
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
