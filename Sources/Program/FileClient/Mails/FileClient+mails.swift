internal import FoundationEssentials

/// A mail that the mail server has not accepted.
public struct Mail: Sendable, Hashable, Codable {
    /// Whether a mail is sent again by itself.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// The mail is sent, or sent again, by itself.
        case waiting
        /// The mail was given up.
        case dead
    }

    /// The mail's id.
    public let objectId: String
    /// When the mail was caused, ISO 8601.
    public let createdAt: String
    /// Whether the mail is sent again by itself.
    public let state: State
    /// What the mail is for: `verify` or `reset`.
    public let purpose: String
    /// The recipient.
    public let to: String
    /// How many times sending it failed.
    public let attempts: Int
    /// When it is sent next, or when it was given up; ISO 8601.
    public let dueAt: String
    /// Why the last attempt failed.
    public let failure: String?
}

/// The mail queue; the calls need the master key and throw ``FileClientError``.
extension FileClient {
    /// Mails of a state, those that are due first.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - limit: The number of mails, 1 to 1000.
    ///   - skip: The number of mails before them.
    /// - Returns: The mails.
    /// - Throws: ``FileClientError``.
    public func mails(_ state: Mail.State, limit: Int = 100, skip: Int = 0) async throws -> [Mail] {
        try await queued("mails", state.rawValue, limit: limit, skip: skip)
    }

    /// Makes mails due at once; returns their number.
    ///
    /// - Parameter ids: At most 1000 mails; `nil` for all dead letters.
    /// - Returns: The number of mails.
    /// - Throws: ``FileClientError``.
    public func retryMails(_ ids: [String]?) async throws -> Int {
        try await retry("mails", ids)
    }

    /// The messages of a queue.
    func queued<Message: Decodable>(
        _ queue: String,
        _ state: String,
        limit: Int,
        skip: Int
    ) async throws -> [Message] {
        let query = FileClient.queryString([
            ("state", state), ("limit", String(limit)), ("skip", String(skip)),
        ])
        let reply: QueuedMessages<Message> = try decode(await send(request("GET", "/1.1/\(queue)" + query)))
        return reply.results
    }

    /// Makes messages of a queue due at once.
    func retry(_ queue: String, _ ids: [String]?) async throws -> Int {
        struct Body: Encodable {
            let ids: [String]?
            let all: Bool?
        }
        struct Reply: Decodable {
            let count: Int
        }
        let body = try JSONEncoder().encode(Body(ids: ids, all: ids == nil ? true : nil))
        let reply: Reply = try await call("POST", [queue, "retry"], [UInt8](body))
        return reply.count
    }
}

/// The reply to a list of messages.
private struct QueuedMessages<Message: Decodable>: Decodable {
    let results: [Message]
}
