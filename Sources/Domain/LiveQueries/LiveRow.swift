/// A subscription as a row of `_LiveQuery`, which all servers of a shared store follow.
///
/// The id of the row is that of the query, so that an installation has one row for a query, whichever server is asked.
struct LiveRow: Sendable {
    /// The id of the query.
    let id: LiveQueryID
    /// The installation whose connections get the events.
    let installation: InstallationID
    /// The class, which is also in ``query``.
    let className: ClassName
    /// ``LiveQuery/json`` as text.
    let query: String
    /// The caller who subscribed, as its rights are at the moment of each event.
    let caller: Subscriber
    /// After this time any server removes the row; see ``LiveTimes``.
    var expiresAt: Timestamp

    /// What a row says of the caller.
    enum Subscriber: Sendable, Hashable {
        case guest
        case user(ObjectID, session: ObjectID)
        case master

        init(_ caller: Caller) {
            self =
                if caller.isMaster {
                    .master
                } else if let user = caller.user {
                    .user(user.id, session: user.session)
                } else {
                    .guest
                }
        }

        /// The caller, whose session and roles every transaction looks up.
        func caller(in app: AppID) -> Caller {
            switch self {
            case .guest: Caller(app: app)
            case .user(let id, let session): Caller(app: app, user: Caller.User(id: id, session: session))
            case .master: Caller(app: app, isMaster: true)
            }
        }
    }

    /// Creates the row of a subscription.
    init(_ query: LiveQuery, of installation: InstallationID, by caller: Caller, expiringAt expiresAt: Timestamp) {
        id = LiveQueryID(of: caller.app, installation, query.json)
        self.installation = installation
        className = query.className
        self.query = String(decoding: query.json.encoded(), as: UTF8.self)
        self.caller = Subscriber(caller)
        self.expiresAt = expiresAt
    }

    /// Reads a row; `nil` for one that only another program can have written.
    init?(_ object: StoredObject) {
        guard let installation = object.fields["installation"]?.stringValue.flatMap({ InstallationID($0) }),
            let className = object.fields["class"]?.stringValue.flatMap({ try? ClassName($0) }),
            let query = object.fields["query"]?.stringValue,
            let expiresAt = object.fields["expiresAt"]?.dateValue
        else { return nil }
        id = LiveQueryID(object.id.description)
        self.installation = installation
        self.className = className
        self.query = query
        self.expiresAt = expiresAt
        func person(_ field: String) -> ObjectID? { object.fields[field]?.stringValue.flatMap { ObjectID($0) } }
        caller =
            if object.fields["master"] == .bool(true) {
                .master
            } else if let user = person("user"), let session = person("session") {
                .user(user, session: session)
            } else {
                .guest
            }
    }

    /// Whether the subscription has ended, by the client or by a server: the same transaction removes the row.
    var isEnded: Bool { expiresAt <= LiveRow.end }

    /// ``expiresAt`` of a row that is being removed because the subscription has ended.
    static let end = Timestamp(milliseconds: 0)

    /// The fields of the row.
    var fields: [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "installation": .string(installation.description), "class": .string(className.description),
            "query": .string(query), "expiresAt": .date(expiresAt),
        ]
        switch caller {
        case .guest: break
        case .user(let id, let session):
            fields["user"] = .string(id.description)
            fields["session"] = .string(session.description)
        case .master: fields["master"] = .bool(true)
        }
        return fields
    }

    /// The condition for the rows of some installations.
    static func belongs(toAny installations: some Sequence<InstallationID>) -> Condition {
        .field(
            FieldPath(field: "installation"),
            .isIn(ValueSet(installations.map { JSONValue.string($0.description) }))
        )
    }

    /// The condition for rows that any server removes.
    static func isExpired(at now: Timestamp) -> Condition {
        .field(FieldPath(field: "expiresAt"), .compares(.less, .date(now)))
    }
}

extension LiveQueryID {
    /// The id of the query's row; `nil` for a text that is no id of a query.
    var row: ObjectID? { ObjectID(description) }
}
