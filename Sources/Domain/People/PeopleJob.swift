/// A row of the queue of work that takes more steps than one transaction should have.
///
/// Each step is one transaction that does a part of the work and notes in the row how far it came, so a kill neither
/// loses nor repeats a part.
struct PeopleJob: Sendable {
    /// The kinds of work.
    enum Work: String, Sendable {
        /// Put a status into the inboxes of the users that a query finds.
        case deliver
        /// Remove a deleted status from all inboxes.
        case withdraw
        /// Remove the relations, statuses and inboxes of a deleted user.
        case forget
    }

    let id: ObjectID
    let work: Work
    /// The status or the user.
    let subject: ObjectID
    /// To whom and how a status is delivered, as JSON of the area Social; `nil` for other work.
    let delivery: JSONValue?
    /// The last object of the query that was handled.
    var cursor: ObjectID?
    /// How many times the next step failed.
    var attempts = 0
    /// When the next step is due.
    var due: Timestamp
    let createdAt: Timestamp

    /// The maximum number of rows that one step adds or removes.
    static let stepSize = 200

    private static let turn = FieldPath(field: "turn")

    init(_ work: Work, _ subject: ObjectID, delivery: JSONValue? = nil, id: ObjectID, at now: Timestamp) {
        self.id = id
        self.work = work
        self.subject = subject
        self.delivery = delivery
        due = now
        createdAt = now
    }

    /// Reads a row; `nil` for one that only another program can have written.
    init?(_ object: StoredObject) {
        let fields = object.fields
        guard let work = fields["work"]?.stringValue.flatMap(Work.init(rawValue:)),
            let subject = fields["subject"]?.stringValue.flatMap(ObjectID.init)
        else { return nil }
        self.init(work, subject, delivery: fields["delivery"], id: object.id, at: object.createdAt)
        cursor = fields["cursor"]?.stringValue.flatMap(ObjectID.init)
        attempts = Int(fields["attempts"]?.integerValue ?? 0)
        due = object.updatedAt
    }

    /// The row as an object.
    var object: StoredObject {
        var fields: [String: JSONValue] = [
            "work": .string(work.rawValue), "subject": .string(subject.description),
            "attempts": .integer(Int64(attempts)), "turn": .string(due.sortable),
        ]
        fields["delivery"] = delivery
        fields["cursor"] = cursor.map { .string($0.description) }
        return StoredObject(id: id, createdAt: createdAt, updatedAt: due, fields: fields)
    }

    /// The jobs that are due, the longest due first: each step of a job puts it behind the others.
    static func due(at now: Timestamp) -> ObjectQuery {
        var query = next
        query.condition = .field(turn, .compares(.lessOrEqual, .string(now.sortable)))
        return query
    }

    /// The job that is due next.
    static let next = ObjectQuery(.peopleJob, order: [SortKey(turn)], page: .first)
}

extension WriteTransaction {
    /// Adds a job to the queue.
    func queue(_ job: PeopleJob) throws {
        try insert(job.object, into: .peopleJob)
    }
}
