/// A session of the console.
public struct ConsoleLogIn: Sendable, Hashable, Codable {
    /// The session's id.
    public let objectId: String
    /// Whether it changes nothing.
    public let readOnly: Bool
    /// The log-in, ISO 8601.
    public let createdAt: String
    /// The last use, with the precision of a minute; ISO 8601.
    public let lastUsedAt: String
    /// The end at the latest, ISO 8601.
    public let expiresAt: String
    /// The client address of the log-in.
    public let address: String
    /// What the browser says that it is.
    public let browser: String
}

/// The sessions of the console; the calls need the master key and throw ``FileClientError``.
extension FileClient {
    /// The sessions that are not over, the newest first.
    public func consoleSessions() async throws -> [ConsoleLogIn] {
        struct Reply: Decodable {
            let results: [ConsoleLogIn]
        }
        let reply: Reply = try await call("GET", ["console", "sessions"])
        return reply.results
    }

    /// Ends a session.
    public func endConsoleSession(_ id: String) async throws {
        struct Reply: Decodable {}
        let _: Reply = try await call("DELETE", ["console", "sessions", id])
    }

    /// Ends all sessions; returns their number.
    public func endConsoleSessions() async throws -> Int {
        struct Reply: Decodable {
            let ended: Int
        }
        let reply: Reply = try await call("DELETE", ["console", "sessions"])
        return reply.ended
    }
}
