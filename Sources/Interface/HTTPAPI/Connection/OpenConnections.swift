package import NIOCore
internal import Synchronization

/// The connections that are open, and since when each has nothing to do; for any thread.
package final class OpenConnections: Sendable {
    private let connections = Mutex<[ObjectIdentifier: (channel: any Channel, activity: ConnectionActivity)]>([:])

    /// Begins with none.
    package init() {}

    /// How many there are.
    package var count: Int { connections.withLock(\.count) }

    /// Adds one that was just accepted.
    func add(_ channel: any Channel, _ activity: ConnectionActivity) {
        connections.withLock { $0[ObjectIdentifier(channel)] = (channel, activity) }
    }

    /// Forgets one that is closed.
    func remove(_ channel: any Channel) {
        connections.withLock { $0[ObjectIdentifier(channel)] = nil }
    }

    /// Closes connections that wait for a request, those first that wait for longest.
    ///
    /// - Parameters:
    ///   - most: How many at most.
    ///   - age: How long a connection must have waited.
    package func closeIdle(_ most: Int, olderThan age: TimeAmount) {
        let bound = NIODeadline.now() - age
        var idle = connections.withLock { connections in
            connections.values.compactMap { entry in
                entry.activity.idleSince.flatMap { $0 <= bound ? (since: $0, channel: entry.channel) : nil }
            }
        }
        idle.sort { $0.since < $1.since }
        // One that has got a request meanwhile stays.
        for (_, channel) in idle.prefix(most) {
            channel.pipeline.fireUserInboundEventTriggered(RequestGate.CloseIfIdle())
        }
    }
}

/// Since when a connection waits for a request; written on its event loop, read from anywhere.
final class ConnectionActivity: Sendable {
    /// In nanoseconds of NIO's clock; 0 while a request is being answered.
    private let since = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)

    /// Nothing while a request is being answered.
    var idleSince: NIODeadline? {
        let since = since.load(ordering: .relaxed)
        return since == 0 ? nil : .uptimeNanoseconds(since)
    }

    /// Notes that a request came.
    func begin() {
        since.store(0, ordering: .relaxed)
    }

    /// Notes that all requests are answered.
    func end() {
        since.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed)
    }
}
