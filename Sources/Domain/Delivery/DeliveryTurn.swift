/// Where a message stands in its queue: when it is sent next, or that it was given up.
package struct DeliveryTurn: Sendable, Hashable {
    /// Whether the message waits or is a dead letter.
    package enum State: String, Sendable, CaseIterable {
        case waiting
        case dead
    }

    /// Whether the message waits or is a dead letter.
    package var state = State.waiting
    /// When the message is sent next; of a dead letter, when it was given up.
    package var due: Timestamp
    /// The lease of the worker that sends the message; `nil` if none does.
    package var lease: String?
    /// How many times sending failed.
    package var attempts = 0
    /// Since when the message is being sent: its creation, or the last time that an operator made it due again.
    package var since: Timestamp
    /// The message of the last failure.
    package var failure: String?

    /// A message that is due now.
    package init(at now: Timestamp) {
        due = now
        since = now
    }

    /// Reads a row; `nil` for one that only another program can have written.
    init?(_ object: StoredObject) {
        let fields = object.fields
        guard let turn = fields[DeliveryTurn.field]?.stringValue else { return nil }
        self.init(at: object.updatedAt)
        state = turn.hasPrefix(State.dead.mark) ? .dead : .waiting
        lease = fields["lease"]?.stringValue
        attempts = Int(fields["attempts"]?.integerValue ?? 0)
        since = fields["since"]?.dateValue ?? object.createdAt
        failure = fields["failure"]?.stringValue
    }

    /// The field with the value by which rows are ordered.
    static let field = "turn"

    /// The fields of a row.
    var fields: [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "attempts": .integer(Int64(attempts)), "since": .date(since),
            DeliveryTurn.field: .string(DeliveryTurn.text(state, due)),
        ]
        fields["lease"] = lease.map(JSONValue.string)
        fields["failure"] = failure.map(JSONValue.string)
        return fields
    }

    /// One indexed string, so that the next message is found in a range of the index, however many wait.
    fileprivate static func text(_ state: State, _ due: Timestamp) -> String {
        "\(state.mark)\(due.sortable)"
    }
}

extension DeliveryTurn.State {
    /// The first character of the turn: waiting messages come first.
    fileprivate var mark: String {
        switch self {
        case .waiting: "0"
        case .dead: "9"
        }
    }
}

/// A row of a delivery queue: a message that its server or gateway has not accepted yet, or a dead letter.
package protocol QueuedMessage: Sendable {
    /// The class of the rows.
    static var queue: ClassName { get }
    /// The id of the row.
    var id: ObjectID { get }
    /// When the message was caused.
    var createdAt: Timestamp { get }
    /// Where it stands in the queue.
    var turn: DeliveryTurn { get set }
    /// The fields of the row, without those of the turn.
    var ownFields: [String: JSONValue] { get }
    /// Reads a row; `nil` for one that only another program can have written.
    init?(_ object: StoredObject)
}

extension QueuedMessage {
    /// Whether a message waits or is a dead letter.
    package typealias State = DeliveryTurn.State

    /// Whether the message waits or is a dead letter.
    package var state: State {
        get { turn.state }
        set { turn.state = newValue }
    }
    /// When the message is sent next; of a dead letter, when it was given up.
    package var due: Timestamp {
        get { turn.due }
        set { turn.due = newValue }
    }
    /// The lease of the worker that sends the message; `nil` if none does.
    package var lease: String? {
        get { turn.lease }
        set { turn.lease = newValue }
    }
    /// How many times sending failed.
    package var attempts: Int { turn.attempts }
    /// The message of the last failure.
    package var failure: String? { turn.failure }

    /// The row as an object.
    package var object: StoredObject {
        let fields = ownFields.merging(turn.fields) { $1 }
        return StoredObject(id: id, createdAt: createdAt, updatedAt: turn.due, fields: fields)
    }

    /// The condition for the messages of a state; with a time, for those that were due before it.
    package static func has(_ state: State, before now: Timestamp? = nil) -> Condition {
        let path = FieldPath(field: DeliveryTurn.field)
        let last = now.map { DeliveryTurn.text(state, $0) } ?? "\(state.mark):"
        return .all([
            .field(path, .compares(.greaterOrEqual, .string(state.mark))),
            .field(path, .compares(.lessOrEqual, .string(last))),
        ])
    }

    /// Those that wait longer first.
    static var byAge: SortKey { SortKey(FieldPath(field: "since")) }

    /// Earlier turns first.
    package static var order: [SortKey] { [SortKey(FieldPath(field: DeliveryTurn.field))] }
}
