package import Logging

/// The live queries of one app: subscriptions, connections, and the events that changes cause (protocol/data 8).
///
/// Thread-safe.
package final class LiveQueryService: Sendable {
    /// The limits.
    package let limits: LiveQueryLimits

    /// - Parameters:
    ///   - app: The app.
    ///   - store: The app's store, whose change feed the service follows.
    ///   - settings: The settings of objects and accounts.
    ///   - engine: The engine of regular expressions.
    ///   - limits: The limits.
    ///   - logger: Records what an operator needs to know.
    package init(
        app: AppID,
        store: any ObjectStore,
        settings: ObjectSettings,
        engine: any PatternEngine,
        limits: LiveQueryLimits = LiveQueryLimits(),
        logger: Logger
    ) {
        self.limits = limits
    }

    /// Subscribes to a query; again if it is subscribed already, with the rights of the new caller.
    ///
    /// - Parameters:
    ///   - body: The body of the request, in the forms of all SDKs.
    ///   - caller: The caller whose rights decide which events are sent.
    /// - Returns: The id of the query.
    /// - Throws: ``ServiceError`` naming the field or the limit.
    package func subscribe(_ body: [String: JSONValue], as caller: Caller) async throws -> LiveQueryID {
        throw ServiceError(.notAvailable, "Live queries are not available on this server yet.")
    }

    /// Ends a subscription; an unknown one is not an error.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` naming the field.
    package func unsubscribe(_ body: [String: JSONValue]) throws {}

    /// Adds a connection, which from now on receives the events of an installation.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` naming the limit.
    package func attach(_ connection: any LiveConnection, as installation: InstallationID) throws {}

    /// Removes a connection; its installation's subscriptions live on for ``LiveQueryLimits/lifetime`` seconds.
    package func detach(_ connection: any LiveConnection, from installation: InstallationID) {}

    /// Makes events of changes until its task is cancelled; then all connections get ``LiveConnection/goAway()``.
    package func run() async {}

    /// The state for metrics.
    package struct Status: Sendable, Equatable {
        /// The open connections.
        package var connections = 0
        /// The subscriptions.
        package var subscriptions = 0
        /// The events sent so far.
        package var events = 0
        /// The times that a client had to come back because events for it were lost.
        package var losses = 0
    }

    /// The current state.
    package var status: Status { Status() }
}
