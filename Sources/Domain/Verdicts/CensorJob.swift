/// A row of the censorship queue: work that a worker does once, however often the server is killed meanwhile.
///
/// It is an object of the class `_CensorJob`. A worker leases a row, which makes it due again only later; the
/// transaction with the result deletes the row if the lease is still the worker's own. So a result counts once.
package struct CensorJob: Sendable, Hashable {
    /// The work of a job.
    package enum Work: String, Sendable {
        /// Decide about a file.
        case check
        /// Add a file that a person blocked to the known images.
        case learn
        /// Tell the CDN that a file is blocked.
        case purge
    }

    /// Which jobs go first.
    package enum Urgency: Int, Sendable, CaseIterable {
        case new = 0
        case bulk = 1
    }

    /// The id of the row: of a check the file's own id, so that a file waits for one check at most.
    package let id: ObjectID
    /// The work.
    package var work: Work
    /// The file.
    package var file: ObjectID
    /// Whether the job goes before others.
    package var urgency: Urgency
    /// The bulk run that made the job.
    package var run: ObjectID?
    /// The position of the file in that run.
    package var position: String?
    /// How many times the work was tried and failed.
    package var attempts = 0
    /// The lease of the worker that does the work; `nil` if none does.
    package var lease: String?
    /// Whether a webhook will answer later.
    package var isAwaitingCallback = false
    /// The scores of the checkers before the webhook.
    package var scores: [String: Double] = [:]
    /// The version of the bytes about which the webhook was asked; `nil` before.
    package var version: String?
    /// Whether the checkers before the webhook have seen only some of the image's frames.
    package var isPartial = false
    /// When the job is due.
    package var due: Timestamp
    /// When the job was made.
    package var createdAt: Timestamp

    /// Creates a job that is due now.
    package init(
        _ work: Work,
        of file: ObjectID,
        id: ObjectID? = nil,
        _ urgency: Urgency = .new,
        run: ObjectID? = nil,
        position: String? = nil,
        at now: Timestamp
    ) {
        self.id = id ?? file
        self.work = work
        self.file = file
        self.urgency = urgency
        self.run = run
        self.position = position
        due = now
        createdAt = now
    }
}

extension CensorJob {
    private static let turn = "turn"
    private static let runField = "run"

    /// The row as an object.
    package var object: StoredObject {
        var fields: [String: JSONValue] = [
            "work": .string(work.rawValue), "file": .string(file.description),
            CensorJob.turn: .string(CensorJob.turn(urgency, due)), "attempts": .integer(Int64(attempts)),
            "awaiting": .bool(isAwaitingCallback),
        ]
        fields[CensorJob.runField] = run.map { .string($0.description) }
        fields["position"] = position.map(JSONValue.string)
        fields["lease"] = lease.map(JSONValue.string)
        if !scores.isEmpty { fields["scores"] = .object(scores.mapValues(JSONValue.number)) }
        fields["version"] = version.map(JSONValue.string)
        if isPartial { fields["partial"] = .bool(true) }
        return StoredObject(id: id, createdAt: createdAt, updatedAt: due, fields: fields)
    }

    /// Reads a row; `nil` for one that only another program can have written.
    package init?(_ object: StoredObject) {
        let fields = object.fields
        guard let work = fields["work"]?.stringValue.flatMap(Work.init),
            let file = fields["file"]?.stringValue.flatMap(ObjectID.init),
            let turn = fields[CensorJob.turn]?.stringValue,
            let urgency = turn.first?.wholeNumberValue.flatMap(Urgency.init)
        else { return nil }
        self.init(work, of: file, id: object.id, urgency, at: object.createdAt)
        run = fields[CensorJob.runField]?.stringValue.flatMap(ObjectID.init)
        position = fields["position"]?.stringValue
        attempts = Int(fields["attempts"]?.integerValue ?? 0)
        lease = fields["lease"]?.stringValue
        isAwaitingCallback = fields["awaiting"] == .bool(true)
        scores = fields["scores"]?.objectValue?.compactMapValues(\.numberValue) ?? [:]
        version = fields["version"]?.stringValue
        isPartial = fields["partial"] == .bool(true)
        due = object.updatedAt
    }

    /// The value by which rows are ordered: the urgency, then the time when the job is due.
    ///
    /// One indexed string, so that the next job is found in a range of the index, however many jobs wait.
    private static func turn(_ urgency: Urgency, _ due: Timestamp) -> String {
        "\(urgency.rawValue)\(due.sortable)"
    }

    /// The condition for the jobs of an urgency that are due at a time; without one, for all of that urgency.
    package static func isDue(_ urgency: Urgency, at now: Timestamp? = nil) -> Condition {
        let last = now.map { turn(urgency, $0) } ?? "\(urgency.rawValue):"
        return .all([
            .field(FieldPath(field: turn), .compares(.greaterOrEqual, .string("\(urgency.rawValue)"))),
            .field(FieldPath(field: turn), .compares(.lessOrEqual, .string(last))),
        ])
    }

    /// Earlier turns first.
    package static let order = [SortKey(FieldPath(field: turn))]

    /// The condition for the jobs of a bulk run.
    package static func isOf(run: ObjectID) -> Condition {
        .field(FieldPath(field: runField), .equals(.string(run.description)))
    }

    /// The condition for the jobs of a file.
    package static func isOf(file: ObjectID) -> Condition {
        .field(FieldPath(field: "file"), .equals(.string(file.description)))
    }
}
