package import NIOCore
internal import Synchronization

/// The open connections, and since when each is idle; thread-safe.
package final class OpenConnections: Sendable {
    private let connections = Mutex<[ObjectIdentifier: (channel: any Channel, activity: ConnectionActivity)]>([:])

    private let draining = Atomic(false)

    /// Creates an empty collection.
    package init() {}

    /// The number of open connections.
    package var count: Int { connections.withLock(\.count) }

    /// Lets each connection of HTTP/1.1 end with its next response, so that a load balancer reuses none when the server
    /// stops: a request on a connection that the server closes at that moment would be lost.
    package func drain() {
        draining.store(true, ordering: .relaxed)
    }

    /// Whether connections end with their next responses.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Adds a connection that was just accepted.
    func add(_ channel: any Channel, _ activity: ConnectionActivity) {
        connections.withLock { $0[ObjectIdentifier(channel)] = (channel, activity) }
    }

    /// Removes a closed connection.
    func remove(_ channel: any Channel) {
        connections.withLock { $0[ObjectIdentifier(channel)] = nil }
    }

    /// Closes idle connections, those that are idle for longest first.
    ///
    /// - Parameters:
    ///   - most: The maximum number to close.
    ///   - age: The minimum idle time.
    package func closeIdle(_ most: Int, olderThan age: TimeAmount) {
        let bound = NIODeadline.now() - age
        var idle = connections.withLock { connections in
            connections.values.compactMap { entry in
                entry.activity.idleSince.flatMap { $0 <= bound ? (since: $0, channel: entry.channel) : nil }
            }
        }
        idle.sort { $0.since < $1.since }
        // A connection that received a request in the meantime stays open.
        for (_, channel) in idle.prefix(most) {
            channel.pipeline.fireUserInboundEventTriggered(RequestGate.CloseIfIdle())
        }
    }
}

/// The time since when a connection is idle; written on its event loop, read from any thread.
final class ConnectionActivity: Sendable {
    /// In nanoseconds of NIO's clock; 0 while a request is processed.
    private let since = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)
    private let begun = Atomic(false)

    /// `nil` while a request is processed.
    var idleSince: NIODeadline? {
        let since = since.load(ordering: .relaxed)
        return since == 0 ? nil : .uptimeNanoseconds(since)
    }

    /// Whether a request has arrived.
    var hasBegun: Bool { begun.load(ordering: .relaxed) }

    /// Records that a request arrived.
    func begin() {
        begun.store(true, ordering: .relaxed)
        since.store(0, ordering: .relaxed)
    }

    /// Records that all responses are sent.
    func end(at time: NIODeadline = .now()) {
        since.store(time.uptimeNanoseconds, ordering: .relaxed)
    }
}
