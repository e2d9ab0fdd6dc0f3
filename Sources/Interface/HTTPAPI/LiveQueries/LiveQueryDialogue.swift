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
    private let outbox: LiveQueryOutbox
    /// The client address by which limits count; `nil` if it has no limit.
    private let address: String?
    /// The app of log-ins that name none, as those of Java's SDK.
    private var app: AppID?
    /// Whether the client has logged in to any service.
    private(set) var isLoggedIn = false
    /// The installations whose events the connection receives.
    private(set) var attachments: [LiveQueryAttachment] = []
    /// Log-ins that wait until the subscriptions of their installation are read.
    private var waiting: [(attachment: LiveQueryAttachment, logIn: RealtimeCommand)] = []

    /// The number of live queries among the services.
    static let service: Int32 = 1
    /// The maximum number of installations of one connection.
    static let maxInstallations = 20
    /// The maximum number of log-ins of one connection that wait, repeated ones included.
    static let maxWaiting = 2 * maxInstallations

    /// - Parameters:
    ///   - services: The services of the apps that have live queries.
    ///   - app: The app that the address of the connection names, if any.
    ///   - outbox: The queue for the events of all installations.
    ///   - address: The client address by which limits count; `nil` if it has no limit.
    init(services: [AppID: LiveQueryService], app: AppID?, outbox: LiveQueryOutbox, address: String?) {
        self.services = services
        self.outbox = outbox
        self.address = address
        self.app = app ?? (services.count == 1 ? services.keys.first : nil)
    }

    /// Performs a command.
    mutating func perform(_ command: RealtimeCommand) -> Answer {
        switch command.kind {
        case .login:
            return logIn(command)
        case .echo:
            return Answer(reply: command.reply(.echo))
        case .logout:
            return logOut(command)
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
        guard let app = command.appID.map({ AppID($0) }) ?? app, let service = services[app] else {
            return Answer(reply: refusal, end: .invalidLogin)
        }
        // Java's client of push notifications logs in too, and needs only the reply, with the number of its service.
        guard command.service == LiveQueryDialogue.service else {
            isLoggedIn = true
            self.app = app
            var reply = command.reply(.loggedin)
            reply.service = command.service ?? 0
            return Answer(reply: reply)
        }
        guard let installation = command.installationID.flatMap(InstallationID.init) else {
            return Answer(reply: refusal, end: .invalidLogin)
        }
        if let known = attachments.first(where: { $0.app == app && $0.installation == installation }) {
            guard waiting.contains(where: { $0.attachment === known }) else {
                return Answer(reply: command.reply(.loggedin))
            }
            guard waiting.count < LiveQueryDialogue.maxWaiting else {
                return Answer(reply: command.reply(.error, .tooManyLogIns))
            }
            waiting.append((known, command))
            return Answer()
        }
        guard attachments.count < LiveQueryDialogue.maxInstallations else {
            return Answer(reply: command.reply(.error, .tooManyInstallations))
        }
        do {
            let (attachment, isReady) = try LiveQueryAttachment.attach(
                to: service,
                of: app,
                installation,
                outbox,
                from: address
            )
            attachments.append(attachment)
            isLoggedIn = true
            if isReady { return Answer(reply: command.reply(.loggedin)) }
            waiting.append((attachment, command))
            return Answer()
        } catch {
            let isFirst = attachments.isEmpty
            return Answer(reply: command.reply(.error, failure(error)), end: isFirst ? .tryAgainLater : nil)
        }
    }

    /// The replies to the log-ins of an installation whose events begin.
    mutating func begin(_ attachment: LiveQueryAttachment) -> [RealtimeCommand] {
        take(attachment).map { $0.reply(.loggedin) }
    }

    /// Removes an installation whose events cannot begin.
    ///
    /// - Returns: The replies to its log-ins, and the code with which a connection without an installation is closed.
    mutating func drop(
        _ attachment: LiveQueryAttachment,
        because error: any Error
    ) -> (replies: [RealtimeCommand], end: WebSocketErrorCode?) {
        let failure = failure(error)
        attachments.removeAll { $0 === attachment }
        return (take(attachment).map { $0.reply(.error, failure) }, attachments.isEmpty ? .tryAgainLater : nil)
    }

    private mutating func take(_ attachment: LiveQueryAttachment) -> [RealtimeCommand] {
        let logIns = waiting.filter { $0.attachment === attachment }.map(\.logIn)
        waiting.removeAll { $0.attachment === attachment }
        return logIns
    }

    private func failure(_ error: any Error) -> RealtimeCommand.Failure {
        let refusal = error as? ServiceError ?? ServiceError(.internalFailure, "Internal error.")
        ErrorMetrics.count(error, as: refusal)
        return RealtimeCommand.Failure(Int32(ErrorRenderer.status(of: refusal)), refusal.message)
    }

    /// Ends one installation, or all if the command names none; the connection ends with the last.
    private mutating func logOut(_ command: RealtimeCommand) -> Answer {
        attachments.removeAll { attachment in
            let isNamed = command.installationID.map { $0 == attachment.installation.description } ?? true
            if isNamed {
                attachment.end()
                waiting.removeAll { $0.attachment === attachment }
            }
            return isNamed
        }
        return Answer(reply: command.reply(.loggedout), end: attachments.isEmpty ? .normalClosure : nil)
    }

    /// Whether the connection receives the events of an installation.
    func receives(_ installation: InstallationID) -> Bool {
        attachments.contains { $0.installation == installation }
    }

    /// Removes the connection from all services.
    mutating func end() {
        for attachment in attachments { attachment.end() }
        attachments = []
        waiting = []
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
    fileprivate static let tooManyInstallations = RealtimeCommand.Failure(
        429,
        "A connection can have \(LiveQueryDialogue.maxInstallations) installations, the limit."
    )
    fileprivate static let tooManyLogIns = RealtimeCommand.Failure(
        429,
        "A connection can have \(LiveQueryDialogue.maxWaiting) log-ins that wait, the limit."
    )
    fileprivate static let noMessaging = RealtimeCommand.Failure(
        119,
        "Messaging is not offered on this server, only live queries."
    )
}
