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
        BufferedChanges(ChangeBuffer(count: count, size: size)) { buffer in
            subscribe(to: filters) { buffer.put($0) }
        }
    }

    /// Subscribes with a buffer in memory whose filters are added and removed while it lives.
    ///
    /// - Parameters:
    ///   - count: The maximum number of buffered changes.
    ///   - size: The maximum size of their states, in bytes.
    ///   - select: The changes to buffer of those that were committed together; it runs while the writer waits.
    /// - Returns: The events, for one reader; see ``BufferedChanges/subscription``.
    package func buffer(
        count: Int,
        size: Int,
        _ select: @escaping @Sendable ([Change]) -> [Change]
    ) -> BufferedChanges {
        BufferedChanges(ChangeBuffer(count: count, size: size)) { buffer in
            subscribe { event in
                guard case .changes(let changes) = event else { return buffer.put(event) }
                let selected = select(changes)
                if !selected.isEmpty { buffer.put(.changes(selected)) }
            }
        }
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
    /// The subscription, whose filters can change.
    package let subscription: ChangeSubscription

    fileprivate init(_ buffer: ChangeBuffer, _ subscribe: (ChangeBuffer) -> ChangeSubscription) {
        self.buffer = buffer
        subscription = subscribe(buffer)
    }

    /// The number of changes and missed events that were published so far.
    package var position: Int { buffer.position }

    /// Lets the reader return ``ChangeFeed/Event/changes(_:)`` with no changes, unless it has others to return.
    package func wake() {
        buffer.requestWake()
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
        /// ``BufferedChanges/position`` after the last event that was read.
        ///
        /// It is the position after its last change, so the first one of `n` changes is at `position - n`.
        package fileprivate(set) var position = 0

        /// The buffered event, or the next one when it arrives; `nil` if the task is cancelled.
        package mutating func next(isolation actor: isolated (any Actor)?) async -> ChangeFeed.Event? {
            while true {
                if let (event, position) = changes.buffer.take() {
                    self.position = position
                    return event
                }
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
        /// Whether the reader has to return although nothing is buffered.
        var mustWake = false
        var position = 0

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
            guard case .changes(let changes) = event else {
                state.position += 1
                return state.drop()
            }
            state.position += changes.count
            let size = state.size + changes.reduce(0) { $0 + $1.size }
            guard state.changes.count + changes.count <= count, size <= self.size else { return state.drop() }
            state.changes += changes
            state.size = size
        }
        wake.yield()
    }

    var position: Int { state.withLock(\.position) }

    func requestWake() {
        state.withLock { $0.mustWake = true }
        wake.yield()
    }

    /// The next event and the position after it.
    func take() -> (ChangeFeed.Event, Int)? {
        state.withLock { state in
            if state.hasMissed {
                state.hasMissed = false
                return (.missed, state.position - state.changes.count)
            }
            guard !state.changes.isEmpty || state.mustWake else { return nil }
            defer {
                state.changes = []
                state.size = 0
                state.mustWake = false
            }
            return (.changes(state.changes), state.position)
        }
    }
}
