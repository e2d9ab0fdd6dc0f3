internal import Domain
internal import NIOCore
internal import Synchronization

/// The events that wait for one client; thread-safe.
///
/// Events are added on any thread, and taken on the connection's event loop while its socket accepts bytes.
final class LiveQueryOutbox: Sendable {
    /// The event that there is something to take, fired at the connection's handlers.
    struct Filled: Sendable {}

    /// What is queued for the connection.
    enum Item {
        case event(LiveEvent, for: InstallationID)
        /// The events of a log-in begin, so that it is answered.
        case begun(LiveQueryAttachment)
        /// The subscriptions of an installation could not be read, and its events do not begin.
        case failed(LiveQueryAttachment, any Error)
    }

    /// What the connection has to do next.
    enum Next {
        case item(Item)
        case nothing
        /// Tell the client to come back, and close.
        case goAway(isSlow: Bool)
    }

    private struct State {
        var items = CircularBuffer<Item>(initialCapacity: 1)
        var size = 0
        /// Whether the connection knows that there is something to take.
        var isNoticed = false
        var isGoing = false
        var isSlow = false
    }

    private let channel: any Channel
    private let limits: LiveQueryLimits
    private let memory: LiveQueueMemory
    private let address: String?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - channel: The connection, which is notified.
    ///   - limits: The limits of this queue.
    ///   - memory: What the queues of all clients share.
    ///   - address: The client address by which limits count; `nil` if it has no limit.
    init(channel: any Channel, limits: LiveQueryLimits, memory: LiveQueueMemory, address: String?) {
        self.channel = channel
        self.limits = limits
        self.memory = memory
        self.address = address
    }

    deinit {
        state.withLock { drop(&$0) }
    }

    /// Queues an item.
    ///
    /// If the client reads too slowly, all items are dropped, and the next is ``Next/goAway(isSlow:)``. If too much waits
    /// for all clients, or for those at the address, that happens to the longest of their queues.
    func put(_ item: Item) {
        let (isNews, isTooMuch) = state.withLock { state -> (Bool, Bool) in
            guard !state.isGoing else { return (false, false) }
            // A client that waits for no other event gets one of any size.
            let isFirst = state.items.isEmpty
            guard isFirst || (state.items.count < limits.queueCount && state.size + item.size <= limits.queueSize)
            else {
                state.isSlow = true
                leave(&state)
                return (true, false)
            }
            state.items.append(item)
            state.size += item.size
            let isTooMuch = item.event.map { memory.add($0, to: self, for: address) } ?? false
            defer { state.isNoticed = true }
            return (!state.isNoticed, isTooMuch)
        }
        if isNews { notify() }
        guard isTooMuch else { return }
        // Each round ends the counting of at least one event, without two locks of queues at a time.
        while let longest = memory.longest(insteadOf: self, for: address) { longest.goAway(isSlow: true) }
    }

    /// Drops all events; the next is ``Next/goAway(isSlow:)``.
    ///
    /// - Parameter isSlow: Whether the reason is that the client reads too slowly.
    func goAway(isSlow: Bool = false) {
        let isNews = state.withLock { state in
            guard !state.isGoing else { return false }
            state.isSlow = isSlow
            leave(&state)
            return true
        }
        if isNews { notify() }
    }

    /// Whether the client must go away, also while it does not read.
    var isGoing: Bool { state.withLock(\.isGoing) }

    /// Takes what is next; after ``Next/nothing`` the connection is notified again.
    func next() -> Next {
        state.withLock { state in
            guard !state.isGoing else { return .goAway(isSlow: state.isSlow) }
            guard let item = state.items.popFirst() else {
                state.isNoticed = false
                // An idle connection needs no memory for the longest queue that it ever had.
                if state.items.capacity > 16 { state.items = CircularBuffer(initialCapacity: 1) }
                return .nothing
            }
            state.size -= item.size
            if let event = item.event { memory.remove(event, from: ObjectIdentifier(self), for: address) }
            return .item(item)
        }
    }

    private func leave(_ state: inout State) {
        state.isGoing = true
        drop(&state)
    }

    private func drop(_ state: inout State) {
        for item in state.items {
            if let event = item.event { memory.remove(event, from: ObjectIdentifier(self), for: address) }
        }
        state.items = CircularBuffer(initialCapacity: 1)
        state.size = 0
    }

    private func notify() {
        channel.pipeline.fireUserInboundEventTriggered(Filled())
    }
}

extension LiveQueryOutbox.Item {
    /// The event; `nil` for other items.
    fileprivate var event: LiveEvent? {
        switch self {
        case .event(let event, _): event
        case .begun, .failed: nil
        }
    }

    /// The size in bytes by which the queue is limited.
    fileprivate var size: Int { event?.size ?? 0 }
}
