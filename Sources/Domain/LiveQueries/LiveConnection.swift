/// A client's connection that receives the events of its live queries; implemented by the WebSocket interface.
///
/// All functions return at once and can be called from any thread, so the matcher never waits for a client.
package protocol LiveConnection: AnyObject, Sendable {
    /// Identifies the WebSocket, which can be a connection of several installations and counts once in limits.
    var socket: ObjectIdentifier { get }

    /// The client address by which limits count; `nil` if the client's address has no limit.
    var address: String? { get }

    /// Queues an event for the client.
    ///
    /// Events of one call after the other are sent in that order. If the client reads too slowly and its queue exceeds
    /// ``LiveQueryLimits/queueCount`` or ``LiveQueryLimits/queueSize``, the connection drops its queue and behaves as
    /// after ``goAway()``. If the queues of all clients exceed ``LiveQueryLimits/queuedMemory``, the longest does.
    func send(_ event: LiveEvent)

    /// Tells that the connection gets events from now on; called once, before the first event.
    ///
    /// Not called if ``LiveQueryService/attach(_:as:)`` has returned `true`.
    func begin()

    /// Tells that the connection was removed before its events could begin; called instead of ``begin()``.
    ///
    /// - Parameter error: Why the subscriptions of the installation could not be read.
    func fail(_ error: any Error)

    /// Tells the client to connect again, and closes the connection.
    ///
    /// Called when events for it were lost, and when the server stops: a connection that stays open has received
    /// every event.
    func goAway()
}

/// A connection with a WebSocket of its own, and without limits for its address.
extension LiveConnection {
    package var socket: ObjectIdentifier { ObjectIdentifier(self) }

    package var address: String? { nil }
}
