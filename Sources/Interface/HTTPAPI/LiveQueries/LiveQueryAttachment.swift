internal import Domain

/// One installation that has logged in on a WebSocket, which can have several: JavaScript's SDK makes a new installation
/// with each log-in of a user, and keeps the connection.
final class LiveQueryAttachment: LiveConnection {
    /// The app.
    let app: AppID
    /// The installation whose events the connection receives.
    let installation: InstallationID
    private let service: LiveQueryService
    private let outbox: LiveQueryOutbox

    /// Adds the connection to a service.
    ///
    /// - Parameters:
    ///   - service: The live queries of the app.
    ///   - app: The app.
    ///   - installation: The installation.
    ///   - outbox: The queue of the connection.
    /// - Throws: ``ServiceError/Code/overloaded`` naming the limit.
    init(
        to service: LiveQueryService,
        of app: AppID,
        _ installation: InstallationID,
        _ outbox: LiveQueryOutbox
    ) throws {
        self.app = app
        self.installation = installation
        self.service = service
        self.outbox = outbox
        try service.attach(self, as: installation)
    }

    func send(_ event: LiveEvent) {
        outbox.put(event, for: installation)
    }

    func goAway() {
        outbox.goAway()
    }

    /// Removes the connection from the service.
    func end() {
        service.detach(self, from: installation)
    }
}
