/// The result of censorship for a file (docs/censorship.md).
package enum Verdict: String, Sendable, CaseIterable {
    /// The file waits for its first check.
    case pending
    /// Everyone may see the file.
    case passed
    /// No checker was sure; a person decides.
    case review
    /// The file's bytes are not served.
    case rejected
}

/// The fields of a file's record that contain its verdict.
package enum VerdictField {
    /// The ``Verdict``; the master key reads it and queries by it, and only the server writes it.
    package static let verdict = "censorResult"
    /// The ``Decision`` behind the verdict; internal.
    static let decision = "_decision"
    /// The version of the bytes to which the verdict applies, for a file on another server; internal.
    static let version = "_checked"
}

/// Who or what decided about a file, when and why.
package struct Decision: Sendable, Hashable {
    /// Who decided.
    package enum Kind: String, Sendable {
        case person
        case machine
    }

    /// The verdict.
    package var verdict: Verdict
    /// Whether a person decided; later checks do not change a person's verdict.
    package var kind: Kind
    /// The time of the decision.
    package var at: Timestamp
    /// The name that the person gave.
    package var by: String?
    /// The checker that decided.
    package var checker: String?
    /// Why, for people.
    package var reason: String?
    /// What the person noted.
    package var note: String?
    /// The scores of the checkers by name, each 0 to 1.
    package var scores: [String: Double] = [:]

    /// Creates a decision.
    package init(
        _ verdict: Verdict,
        by kind: Kind,
        at moment: Timestamp,
        named name: String? = nil,
        checker: String? = nil,
        reason: String? = nil,
        note: String? = nil,
        scores: [String: Double] = [:]
    ) {
        self.verdict = verdict
        self.kind = kind
        at = moment
        by = name
        self.checker = checker
        self.reason = reason
        self.note = note
        self.scores = scores
    }

    /// The members of the API and of the log; those without a value are absent.
    package var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "verdict": .string(verdict.rawValue), "kind": .string(kind.rawValue), "at": .string(at.iso8601),
        ]
        for (name, text) in [("by", by), ("checker", checker), ("reason", reason), ("note", note)] {
            members[name] = text.map(JSONValue.string)
        }
        if !scores.isEmpty { members["scores"] = .object(scores.mapValues(JSONValue.number)) }
        return members
    }

    /// Reads the members; `nil` if they have another form.
    package init?(_ members: [String: JSONValue]) {
        guard let verdict = members["verdict"]?.stringValue.flatMap(Verdict.init),
            let kind = members["kind"]?.stringValue.flatMap(Kind.init),
            let moment = members["at"]?.stringValue.flatMap(Timestamp.init(iso8601:))
        else { return nil }
        self.init(
            verdict,
            by: kind,
            at: moment,
            named: members["by"]?.stringValue,
            checker: members["checker"]?.stringValue,
            reason: members["reason"]?.stringValue,
            note: members["note"]?.stringValue,
            scores: members["scores"]?.objectValue?.compactMapValues(\.numberValue) ?? [:]
        )
    }
}

extension StoredObject {
    /// The verdict about the file of the record; `nil` if it was never to be checked.
    package var verdict: Verdict? { fields[VerdictField.verdict]?.stringValue.flatMap(Verdict.init) }

    /// The decision behind the verdict; `nil` before the first one.
    package var decision: Decision? { fields[VerdictField.decision]?.objectValue.flatMap(Decision.init) }

    /// The version of the bytes that were checked, of a file on another server, whose bytes can change; empty if the
    /// server could not have them, `nil` if it is unknown.
    var checkedVersion: String? { fields[VerdictField.version]?.stringValue }

    /// The record with a decision.
    ///
    /// - Parameters:
    ///   - decision: The decision.
    ///   - version: The version of the bytes about which it is, for a file on another server; `nil` if it is unknown.
    /// - Returns: The record.
    package func decided(_ decision: Decision, about version: String? = nil) -> StoredObject {
        var decided = self
        decided.fields[VerdictField.verdict] = .string(decision.verdict.rawValue)
        decided.fields[VerdictField.decision] = .object(decision.members)
        // The bytes of other files do not change.
        let isBound = CheckedFile.isElsewhere(self)
        decided.fields[VerdictField.version] = isBound ? version.map(JSONValue.string) : nil
        return decided
    }

    /// The record before its next decision.
    func undecided() -> StoredObject {
        var undecided = self
        undecided.fields[VerdictField.verdict] = .string(Verdict.pending.rawValue)
        undecided.fields[VerdictField.decision] = nil
        return undecided
    }
}
