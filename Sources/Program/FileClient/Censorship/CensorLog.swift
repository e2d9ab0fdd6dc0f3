/// One entry of the log of verdicts, settings, runs and known images.
public struct CensorLogEntry: Sendable, Hashable, Codable {
    /// The time, such as `2026-11-21T08:01:20.175Z`.
    public var at: String
    /// `verdict`, `settings`, `run` or `known`.
    public var event: String
    /// The file's id.
    public var file: String?
    /// The verdict.
    public var verdict: Verdict?
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
    /// The scores of checkers by their names.
    public var scores: [String: Double]?
    /// The state before the change.
    public var before: JSON?
    /// The state after the change.
    public var after: JSON?
    /// The run's id.
    public var run: String?
    /// The new state of the run.
    public var state: String?
    /// The number of known images that were added.
    public var added: Int?
    /// The number of known images that were removed.
    public var removed: Int?
}

extension FileClient {
    /// A page of the log, the newest first; needs the master key.
    ///
    /// - Parameters:
    ///   - limit: The number of entries, 1 to 200.
    ///   - cursor: The cursor of the page before; `nil` for the first page.
    /// - Returns: The entries and the cursor of the next page.
    /// - Throws: ``FileClientError``.
    public func censorLog(limit: Int = 50, cursor: String? = nil) async throws -> CensorPage<CensorLogEntry> {
        try await page("/1.1/censorship/log", [("limit", String(limit)), ("cursor", cursor)])
    }
}
