/// A row of the mail queue: a mail that the mail server has not accepted yet, or a dead letter.
///
/// It is an object of the class `_Mail`, written in the transaction that causes the mail. It contains no token: the
/// worker makes a new link for each attempt (``MailLink``), so that a stolen database or backup contains none, and the
/// life of a link begins when its mail is sent.
package struct QueuedMail: Sendable, Hashable {
    /// Whether the mail waits or is a dead letter.
    package enum State: String, Sendable, CaseIterable {
        case waiting
        case dead
    }

    /// The id of the row.
    package let id: ObjectID
    /// What the mail is for.
    package let purpose: MailPurpose
    /// The user; `nil` for a row without a mail, which makes an unknown address take as long as a known one.
    package let user: ObjectID?
    /// The recipient.
    package let to: String
    /// The URL to which the link's page leads.
    package let redirect: String?
    /// Whether the mail waits or is a dead letter.
    package var state = State.waiting
    /// When the mail is sent next; of a dead letter, when it was given up.
    package var due: Timestamp
    /// The lease of the worker that sends the mail; `nil` if none does.
    package var lease: String?
    /// How many times sending failed.
    package var attempts = 0
    /// Since when the mail is being sent: its creation, or the last time that an operator made it due again.
    package var since: Timestamp
    /// The message of the last failure.
    package var failure: String?
    /// When the mail was caused.
    package let createdAt: Timestamp

    /// Creates a mail that is due now.
    init(
        _ purpose: MailPurpose,
        to address: String,
        of user: ObjectID?,
        redirect: String?,
        id: ObjectID,
        at now: Timestamp
    ) {
        self.id = id
        self.purpose = purpose
        self.user = user
        to = address
        self.redirect = redirect
        due = now
        since = now
        createdAt = now
    }
}

extension QueuedMail {
    private static let turn = "turn"

    /// The row as an object.
    package var object: StoredObject {
        var fields: [String: JSONValue] = [
            "purpose": .string(purpose.rawValue), "to": .string(to), "attempts": .integer(Int64(attempts)),
            "since": .date(since), QueuedMail.turn: .string(QueuedMail.turn(state, due)),
        ]
        fields["user"] = user.map { Pointer(.user, $0).json }
        fields["redirect"] = redirect.map(JSONValue.string)
        fields["lease"] = lease.map(JSONValue.string)
        fields["failure"] = failure.map(JSONValue.string)
        return StoredObject(id: id, createdAt: createdAt, updatedAt: due, fields: fields)
    }

    /// Reads a row; `nil` for one that only another program can have written.
    package init?(_ object: StoredObject) {
        let fields = object.fields
        guard let purpose = fields["purpose"]?.stringValue.flatMap(MailPurpose.init),
            let to = fields["to"]?.stringValue, let turn = fields[QueuedMail.turn]?.stringValue
        else { return nil }
        self.init(
            purpose,
            to: to,
            of: fields["user"].flatMap(Pointer.init(stored:))?.id,
            redirect: fields["redirect"]?.stringValue,
            id: object.id,
            at: object.createdAt
        )
        state = turn.hasPrefix(State.dead.mark) ? .dead : .waiting
        due = object.updatedAt
        lease = fields["lease"]?.stringValue
        attempts = Int(fields["attempts"]?.integerValue ?? 0)
        since = fields["since"]?.dateValue ?? object.createdAt
        failure = fields["failure"]?.stringValue
    }

    /// The value by which rows are ordered: one indexed string, so that the next mail is found in a range of the index,
    /// however many wait.
    private static func turn(_ state: State, _ due: Timestamp) -> String {
        let digits = String(max(0, due.milliseconds))
        return "\(state.mark)\(String(repeating: "0", count: max(0, 15 - digits.count)))\(digits)"
    }

    /// The condition for the mails of a state; with a time, for those that were due before it.
    package static func has(_ state: State, before now: Timestamp? = nil) -> Condition {
        let last = now.map { turn(state, $0) } ?? "\(state.mark):"
        return .all([
            .field(FieldPath(field: turn), .compares(.greaterOrEqual, .string(state.mark))),
            .field(FieldPath(field: turn), .compares(.lessOrEqual, .string(last))),
        ])
    }

    /// Earlier turns first.
    package static let order = [SortKey(FieldPath(field: turn))]
}

extension QueuedMail.State {
    /// The first character of the turn: waiting mails come first.
    fileprivate var mark: String {
        switch self {
        case .waiting: "0"
        case .dead: "9"
        }
    }
}
