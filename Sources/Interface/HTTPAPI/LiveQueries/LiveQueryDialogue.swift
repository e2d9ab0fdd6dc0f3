internal import Domain
internal import NIOWebSocket
internal import RealtimeMessages

/// The commands of one connection and the answers to them (protocol/data 8.5, 8.6).
///
/// Used on its connection's event loop only.
struct LiveQueryDialogue {
    /// The answer to a command.
    struct Answer {
        /// The reply; `nil` if the command gets none.
        var reply: RealtimeCommand?
        /// The code with which the connection is closed after the reply; `nil` if it stays open.
        var end: WebSocketErrorCode?
    }

    private let services: [AppID: LiveQueryService]
    private let connection: any LiveConnection
    /// Whether the client has logged in to any service.
    private(set) var isLoggedIn = false
    /// The installation whose events the connection receives.
    private(set) var attachment: (app: AppID, installation: InstallationID)?

    /// The number of live queries among the services.
    static let service: Int32 = 1

    /// - Parameters:
    ///   - services: The services of the apps that have live queries.
    ///   - connection: The connection to add to one of them.
    init(services: [AppID: LiveQueryService], connection: any LiveConnection) {
        self.services = services
        self.connection = connection
    }

    /// Performs a command.
    mutating func perform(_ command: RealtimeCommand) -> Answer {
        switch command.kind {
        case .login:
            return logIn(command)
        case .echo:
            return Answer(reply: command.reply(.echo))
        case .logout:
            return Answer(reply: command.reply(.loggedout), end: .normalClosure)
        case nil where command.isKeepAlive:
            return Answer(reply: command)
        case .ack, .data, .error, .loggedin, .loggedout, .goaway:
            return Answer()
        case nil, .session, .conv, .direct, .rcp, .unread, .logs, .room, .read, .presence, .report, .patch, .pubsub,
            .blacklist:
            // A command without a number expects no reply.
            return Answer(reply: command.number.map { _ in command.reply(.error, .noMessaging) })
        }
    }

    private mutating func logIn(_ command: RealtimeCommand) -> Answer {
        let refusal = command.reply(.error, .invalidLogin)
        guard let app = command.appID.flatMap(AppID.init), let service = services[app] else {
            return Answer(reply: refusal, end: .invalidLogin)
        }
        // Java's client of push notifications logs in too, and needs only the reply.
        guard command.service == LiveQueryDialogue.service else {
            isLoggedIn = true
            return Answer(reply: command.reply(.loggedin))
        }
        guard let installation = command.installationID.flatMap(InstallationID.init) else {
            return Answer(reply: refusal, end: .invalidLogin)
        }
        if let attachment {
            return Answer(reply: attachment == (app, installation) ? command.reply(.loggedin) : refusal)
        }
        do {
            try service.attach(connection, as: installation)
        } catch {
            let message = (error as? ServiceError)?.message ?? "Internal error."
            return Answer(reply: command.reply(.error, .init(429, message)), end: .tryAgainLater)
        }
        attachment = (app, installation)
        isLoggedIn = true
        return Answer(reply: command.reply(.loggedin))
    }

    /// Removes the connection from the service.
    mutating func end() {
        guard let attachment else { return }
        self.attachment = nil
        services[attachment.app]?.detach(connection, from: attachment.installation)
    }
}

extension RealtimeCommand {
    /// The reply to the command, by which the client finds its request.
    fileprivate func reply(_ kind: Kind, _ failure: Failure? = nil) -> RealtimeCommand {
        RealtimeCommand(kind, service: service, installationID: installationID, number: number, failure: failure)
    }
}

extension RealtimeCommand.Failure {
    fileprivate static let invalidLogin = RealtimeCommand.Failure(4103, "INVALID_LOGIN")
    fileprivate static let noMessaging = RealtimeCommand.Failure(
        119,
        "Messaging is not offered on this server, only live queries."
    )
}
