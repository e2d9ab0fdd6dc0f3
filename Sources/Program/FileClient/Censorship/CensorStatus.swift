/// Whether and how far an app's images are checked.
public struct CensorStatus: Sendable, Hashable, Codable {
    /// Whether a checker can be used.
    public struct Availability: Sendable, Hashable, Codable {
        /// Whether it can be used.
        public let available: Bool
        /// Why it cannot be used.
        public let reason: String?
    }

    /// The number of waiting checks.
    public struct Waiting: Sendable, Hashable, Codable {
        /// Checks of new files, and other work that is not of a bulk run.
        public let new: Int
        /// Checks of bulk runs.
        public let bulk: Int
    }

    /// Whether new images are checked.
    public let auto: Bool
    /// Whether new images are served only when they have passed.
    public let hold: Bool
    /// The classifier.
    public let classifier: Availability
    /// Whether a webhook is configured.
    public let webhook: Bool
    /// Whether a purge address is configured.
    public let purge: Bool
    /// The waiting checks.
    public let waiting: Waiting
    /// The age of the oldest waiting check in seconds.
    public let oldestSeconds: Int?
    /// The number of known images.
    public let known: Int
}

extension FileClient {
    /// The status of censorship; needs the master key.
    public func censorStatus() async throws -> CensorStatus {
        try await call("GET", ["censorship", "status"])
    }

    /// The app's settings of censorship by name; needs the master key.
    public func censorSettings() async throws -> [String: JSON] {
        try await call("GET", ["censorship", "settings"])
    }

    /// Changes settings of censorship; needs the master key.
    ///
    /// - Parameters:
    ///   - changes: The new values by name; other settings keep theirs.
    ///   - person: The name for the log.
    /// - Returns: All settings.
    /// - Throws: ``FileClientError`` with status 400 for an unknown name or a value out of range.
    public func changeCensorSettings(
        _ changes: [String: JSON],
        by person: String? = nil
    ) async throws -> [String: JSON] {
        var body = changes
        if let person { body["by"] = .string(person) }
        return try await call("PUT", ["censorship", "settings"], JSON.object(body).encoded)
    }
}
