/// The result of a censorship check.
public enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
    /// The image waits for its check.
    case pending
    /// The image is allowed.
    case passed
    /// A person must decide.
    case review
    /// The image is blocked.
    case rejected
}

/// Who or what decided on an image.
public enum Decider: String, Sendable, Hashable, Codable {
    /// A person; machines do not change the verdict later.
    case person
    /// A checker.
    case machine
}
