internal import Domain

/// One installation that has logged in on a WebSocket, which can have several: JavaScript's SDK makes a new installation
/// with each log-in of a user, and keeps the connection.
final class LiveQueryAttachment: LiveConnection {
    /// The app.
    let app: AppID
    /// The installation whose events the connection receives.
    let installation: InstallationID
    /// The client address by which limits count; `nil` if it has no limit.
    let address: String?
    private let service: LiveQueryService
    private let outbox: LiveQueryOutbox

    private init(
        to service: LiveQueryService,
        of app: AppID,
        _ installation: InstallationID,
        _ outbox: LiveQueryOutbox,
        from address: String?
    ) {
        self.address = address
        self.app = app
        self.installation = installation
        self.service = service
        self.outbox = outbox
    }

    /// Adds a connection to a service.
    ///
    /// - Returns: The attachment, and whether its events begin now; otherwise the outbox tells when.
    /// - Throws: ``ServiceError/Code/overloaded`` naming the limit.
    static func attach(
        to service: LiveQueryService,
        of app: AppID,
        _ installation: InstallationID,
        _ outbox: LiveQueryOutbox,
        from address: String?
    ) throws -> (attachment: LiveQueryAttachment, isReady: Bool) {
        let attachment = LiveQueryAttachment(to: service, of: app, installation, outbox, from: address)
        return (attachment, try service.attach(attachment, as: installation))
    }

    /// The queue is that of the WebSocket.
    var socket: ObjectIdentifier { ObjectIdentifier(outbox) }

    func begin() {
        outbox.put(.begun(self))
    }

    func fail(_ error: any Error) {
        outbox.put(.failed(self, error))
    }

    func send(_ event: LiveEvent) {
        outbox.put(.event(event, for: installation))
    }

    func goAway() {
        outbox.goAway()
    }

    /// Removes the connection from the service.
    func end() {
        service.detach(self, from: installation)
    }
}
