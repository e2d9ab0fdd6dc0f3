/// How many files of an app are still on the origin of its mirror only.
public struct MirrorStatus: Sendable, Hashable, Codable {
    /// The URL before a key under which the app's files were served before.
    public let origin: String
    /// Records whose bytes are missing.
    public let missing: Int
    /// The sizes of these files in bytes, as far as their imports gave them.
    public let missingBytes: Int64
    /// Files whose bytes the mirror fetched.
    public let mirrored: Int
    /// Among them those without an imported record.
    public let created: Int
    /// Fetches that failed since the server started.
    public let failed: Int
}

extension FileClient {
    /// The status of the app's mirror; needs the master key.
    ///
    /// Throws ``FileClientError``, also if the app has no mirror.
    public func mirrorStatus() async throws -> MirrorStatus {
        try await call("GET", ["mirror"])
    }
}
