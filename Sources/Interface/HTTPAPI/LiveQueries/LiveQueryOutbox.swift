internal import Domain
internal import NIOCore
internal import Synchronization

/// The events that wait for one client; thread-safe.
///
/// Events are added on any thread, and taken on the connection's event loop while its socket accepts bytes.
final class LiveQueryOutbox: Sendable {
    /// The event that there is something to take, fired at the connection's handlers.
    struct Filled: Sendable {}

    /// What the connection has to do next.
    enum Next {
        case event(LiveEvent, for: InstallationID)
        case nothing
        /// Tell the client to come back, and close.
        case goAway(isSlow: Bool)
    }

    private struct State {
        var events = CircularBuffer<(event: LiveEvent, installation: InstallationID)>(initialCapacity: 1)
        var size = 0
        /// Whether the connection knows that there is something to take.
        var isNoticed = false
        var isGoing = false
        var isSlow = false
    }

    private let channel: any Channel
    private let limits: LiveQueryLimits
    private let state = Mutex(State())

    init(channel: any Channel, limits: LiveQueryLimits) {
        self.channel = channel
        self.limits = limits
    }

    /// Queues an event for one of the client's installations.
    ///
    /// If the client reads too slowly, all events are dropped, and the next is ``Next/goAway(isSlow:)``.
    func put(_ event: LiveEvent, for installation: InstallationID) {
        let isNews = state.withLock { state in
            guard !state.isGoing else { return false }
            // A client that waits for no other event gets one of any size.
            guard
                state.events.isEmpty
                    || (state.events.count < limits.queueCount && state.size + event.size <= limits.queueSize)
            else {
                state.isSlow = true
                leave(&state)
                return true
            }
            state.events.append((event, installation))
            state.size += event.size
            defer { state.isNoticed = true }
            return !state.isNoticed
        }
        if isNews { notify() }
    }

    /// Drops all events; the next is ``Next/goAway(isSlow:)``.
    func goAway() {
        let isNews = state.withLock { state in
            guard !state.isGoing else { return false }
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
            guard let (event, installation) = state.events.popFirst() else {
                state.isNoticed = false
                // An idle connection needs no memory for the longest queue that it ever had.
                if state.events.capacity > 16 { state.events = CircularBuffer(initialCapacity: 1) }
                return .nothing
            }
            state.size -= event.size
            return .event(event, for: installation)
        }
    }

    private func leave(_ state: inout State) {
        state.isGoing = true
        state.events = CircularBuffer(initialCapacity: 1)
        state.size = 0
    }

    private func notify() {
        channel.pipeline.fireUserInboundEventTriggered(Filled())
    }
}
