/// A message of a connection of live queries, in either direction (protocol/data 8.4, 8.5).
package struct RealtimeCommand: Sendable, Equatable {
    /// The command; `nil` in a keep-alive, and for a command that the protocol does not know.
    package var kind: Kind?
    /// The app, in a log-in.
    package var appID: String?
    /// The service; 1 is live queries.
    package var service: Int32?
    /// The installation.
    package var installationID: String?
    /// The number of a request, `i`, which its reply repeats.
    package var number: Int32?
    /// The pushed events, in `data`.
    package var messages: [Message] = []
    /// What went wrong, in `error`.
    package var failure: Failure?
    /// Whether it is the keep-alive of `lc.json.3`, an empty object, which the server repeats.
    package private(set) var isKeepAlive = false

    /// The keep-alive of `lc.json.3`.
    package static let keepAlive = {
        var command = RealtimeCommand()
        command.isKeepAlive = true
        return command
    }()

    /// Creates a command.
    package init(
        _ kind: Kind? = nil,
        appID: String? = nil,
        service: Int32? = nil,
        installationID: String? = nil,
        number: Int32? = nil,
        messages: [Message] = [],
        failure: Failure? = nil
    ) {
        self.kind = kind
        self.appID = appID
        self.service = service
        self.installationID = installationID
        self.number = number
        self.messages = messages
        self.failure = failure
    }

    /// The commands, with their numbers in protobuf; in JSON they have the names of the cases.
    package enum Kind: Int, Sendable, CaseIterable {
        case session = 0
        case conv = 1
        case direct = 2
        case ack = 3
        case rcp = 4
        case unread = 5
        case logs = 6
        case error = 7
        case login = 8
        case data = 9
        case room = 10
        case read = 11
        case presence = 12
        case report = 13
        case echo = 14
        case loggedin = 15
        case logout = 16
        case loggedout = 17
        case patch = 18
        case pubsub = 19
        case blacklist = 20
        case goaway = 21
    }

    /// One pushed event.
    package struct Message: Sendable, Equatable {
        /// The id that the client acknowledges.
        package var id: String
        /// The event as JSON text, which is sent as it is.
        package var json: [UInt8]

        /// Creates a message.
        package init(id: String, json: [UInt8]) {
            self.id = id
            self.json = json
        }
    }

    /// Why a request failed.
    package struct Failure: Sendable, Equatable {
        /// The code.
        package var code: Int32
        /// The message for the client.
        package var reason: String

        /// Creates a failure.
        package init(_ code: Int32, _ reason: String) {
            self.code = code
            self.reason = reason
        }
    }
}

extension RealtimeCommand.Kind {
    private static let names = allCases.map { "\($0)" }
    private static let kinds = Dictionary(uniqueKeysWithValues: zip(names, allCases))

    /// The name in JSON.
    package var name: String { Self.names[rawValue] }

    /// The command with a name of JSON; `nil` for others.
    package init?(name: String) {
        guard let kind = Self.kinds[name] else { return nil }
        self = kind
    }
}
