/// The verdict on a file with its reasons.
public struct CensorState: Sendable, Hashable, Codable {
    /// The file's id.
    public var objectId: String
    /// The verdict; `nil` for a file that was never checked.
    public var censorResult: Verdict?
    /// Who decided; `nil` without a decision.
    public var decidedBy: Decider?
    /// The name that the person gave.
    public var by: String?
    /// The time of the decision, such as `2026-11-21T08:01:20.175Z`.
    public var decidedAt: String?
    /// The checker that decided.
    public var checker: String?
    /// The reason that the checker gave.
    public var reason: String?
    /// The note of the person.
    public var note: String?
    /// The scores of checkers by their names, 0 to 1.
    public var scores: [String: Double]?
    /// The file's URL.
    public var url: String?
    /// A short-lived URL of a thumbnail, which also works while the file is blocked.
    public var thumbnailURL: String?
    /// All decisions, the newest first, at most 100; `nil` in lists.
    public var history: [CensorDecision]?
    /// The file's name; only in lists.
    public var name: String?
    /// The media type; only in lists.
    public var mimeType: String?
    /// The number of bytes; only in lists.
    public var size: Int64?
    /// The time of the file's creation; only in lists.
    public var createdAt: String?

    /// Creates a state of which only the verdict is known.
    public init(objectId: String, censorResult: Verdict?) {
        self.objectId = objectId
        self.censorResult = censorResult
    }

    private enum CodingKeys: String, CodingKey {
        case objectId, censorResult, decidedBy, by, decidedAt, checker, reason, note, scores, url, thumbnailURL
        case history, name, size, createdAt
        case mimeType = "mime_type"
    }
}

/// One decision on a file.
public struct CensorDecision: Sendable, Hashable, Codable {
    /// The time, such as `2026-11-21T08:01:20.175Z`.
    public var at: String
    /// The verdict.
    public var verdict: Verdict
    /// Who decided.
    public var kind: Decider?
    /// The name that the person gave.
    public var by: String?
    /// The checker that decided.
    public var checker: String?
    /// The reason that the checker gave.
    public var reason: String?
    /// The note of the person.
    public var note: String?
    /// The scores of checkers by their names, 0 to 1.
    public var scores: [String: Double]?
}
