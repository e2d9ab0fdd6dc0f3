/// A bulk run: the check of all images of a time range, object of the class `_CensorRun`.
///
/// It does not queue all files at once. Workers add the next page of files when few of its jobs wait, so that a run over
/// millions of files takes no more rows than one over hundreds, and goes on after a restart where it was.
package struct CensorRun: Sendable {
    /// What a run does.
    package enum State: String, Sendable {
        /// Files are queued and checked.
        case running
        /// Nothing happens until it is resumed.
        case cancelled
        /// All files are checked.
        case done
    }

    /// The id of the run.
    package let id: ObjectID
    /// What it does.
    package var state = State.running
    /// The files from this time of creation on.
    package var from: Timestamp
    /// The files before this time of creation.
    package var to: Timestamp
    /// Whether files that were checked before are checked again; those about which a person decided never are.
    package var rechecks: Bool
    /// The images of the range when the run began.
    package var total = 0
    /// The images that the run has passed, queued or left out.
    package var examined = 0
    /// The jobs that it has added.
    package var queued = 0
    /// The jobs that are done.
    package var decided = 0
    /// The verdicts of these jobs.
    package var verdicts: [Verdict: Int] = [:]
    /// The position of the last examined file; `nil` at the beginning.
    var position: FilePosition?
    /// Whether no file comes after the position.
    package var isExhausted = false
    /// When it began.
    package let createdAt: Timestamp
    /// When it last changed.
    package var updatedAt: Timestamp

    /// Creates a run that is to begin.
    package init(id: ObjectID, from: Timestamp, to: Timestamp, rechecks: Bool, total: Int, at now: Timestamp) {
        self.id = id
        self.from = from
        self.to = to
        self.rechecks = rechecks
        self.total = total
        createdAt = now
        updatedAt = now
    }

    /// The members of the API.
    package var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "id": .string(id.description), "state": .string(state.rawValue), "from": .string(from.iso8601),
            "to": .string(to.iso8601), "recheck": .bool(rechecks), "createdAt": .string(createdAt.iso8601),
            "updatedAt": .string(updatedAt.iso8601),
        ]
        for (name, count) in counts { members[name] = .integer(Int64(count)) }
        return members
    }

    private var counts: [(String, Int)] {
        [("total", total), ("examined", examined), ("queued", queued), ("decided", decided)]
            + [Verdict.passed, .review, .rejected].map { ($0.rawValue, verdicts[$0] ?? 0) }
    }
}

extension CensorRun {
    /// The run as an object.
    var object: StoredObject {
        var fields: [String: JSONValue] = [
            "state": .string(state.rawValue), "from": .date(from), "to": .date(to), "recheck": .bool(rechecks),
            "exhausted": .bool(isExhausted),
        ]
        for (name, count) in counts { fields[name] = .integer(Int64(count)) }
        fields["position"] = position.map { .string($0.description) }
        return StoredObject(id: id, createdAt: createdAt, updatedAt: updatedAt, fields: fields)
    }

    /// Reads a run; `nil` for one that only another program can have written.
    init?(_ object: StoredObject) {
        let fields = object.fields
        guard let state = fields["state"]?.stringValue.flatMap(State.init), let from = fields["from"]?.dateValue,
            let to = fields["to"]?.dateValue
        else { return nil }
        func count(_ name: String) -> Int { Int(fields[name]?.integerValue ?? 0) }
        self.init(
            id: object.id,
            from: from,
            to: to,
            rechecks: fields["recheck"] == .bool(true),
            total: count("total"),
            at: object.createdAt
        )
        self.state = state
        examined = count("examined")
        queued = count("queued")
        decided = count("decided")
        for verdict in [Verdict.passed, .review, .rejected] { verdicts[verdict] = count(verdict.rawValue) }
        position = fields["position"]?.stringValue.map(FilePosition.init(stored:))
        isExhausted = fields["exhausted"] == .bool(true)
        updatedAt = object.updatedAt
    }

    /// The condition for the files that the run has not examined yet.
    var rest: Condition {
        .all([CensorRun.images(from: from, to: to)] + (position.map { [$0.isBefore] } ?? []))
    }

    /// Whether the run checks a file: its bytes are here or on another server, no person decided about it, and without
    /// ``rechecks`` nothing else did.
    func mustCheck(_ record: StoredObject) -> Bool {
        guard CheckedFile.canBeImage(record), record.mirrorState != .missing else { return false }
        guard let decision = record.decision else { return true }
        return rechecks && decision.kind == .machine
    }

    /// The condition for the images of a time range.
    static func images(from: Timestamp?, to: Timestamp?) -> Condition {
        let created = FieldPath(field: "createdAt")
        var parts = [CheckedFile.isImage]
        if let from { parts.append(.field(created, .compares(.greaterOrEqual, .date(from)))) }
        if let to { parts.append(.field(created, .compares(.less, .date(to)))) }
        return .all(parts)
    }
}
