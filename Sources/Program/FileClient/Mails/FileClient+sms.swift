/// An SMS that the gateway has not accepted.
public struct SMS: Sendable, Hashable, Codable {
    /// The SMS's id.
    public let objectId: String
    /// When the SMS was caused, ISO 8601.
    public let createdAt: String
    /// Whether the SMS is sent again by itself.
    public let state: Mail.State
    /// What its code is for: `generic`, `verifyPhone`, `logIn`, `resetPassword` or `changePhone`.
    public let purpose: String
    /// The recipient.
    public let to: String
    /// The name of the template.
    public let template: String
    /// How many times sending it failed.
    public let attempts: Int
    /// When it is sent next, or when it was given up; ISO 8601.
    public let dueAt: String
    /// Why the last attempt failed.
    public let failure: String?
}

/// A code that was sent by SMS and is valid.
public struct SMSCode: Sendable, Hashable, Codable {
    /// The id of the code.
    public let objectId: String
    /// When the code was requested, ISO 8601.
    public let createdAt: String
    /// What the code is for, as of an ``SMS``.
    public let purpose: String
    /// The number to which it was sent.
    public let to: String
    /// How many times a wrong code was tried.
    public let tries: Int
    /// When it ends, ISO 8601.
    public let expiresAt: String
    /// The code itself: only if the server writes SMS to its log, and of numbers with a fixed code.
    public let code: String?
}

/// The SMS queue; the calls need the master key and throw ``FileClientError``.
extension FileClient {
    /// SMS of a state, those that are due first.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - limit: The number of SMS, 1 to 1000.
    ///   - skip: The number of SMS before them.
    /// - Returns: The SMS.
    /// - Throws: ``FileClientError``.
    public func sms(_ state: Mail.State, limit: Int = 100, skip: Int = 0) async throws -> [SMS] {
        try await queued("sms", state.rawValue, limit: limit, skip: skip)
    }

    /// The codes that are valid, the oldest first.
    ///
    /// - Parameters:
    ///   - limit: The number of codes, 1 to 1000.
    ///   - skip: The number of codes before them.
    /// - Returns: The codes.
    /// - Throws: ``FileClientError``.
    public func smsCodes(limit: Int = 100, skip: Int = 0) async throws -> [SMSCode] {
        try await queued("sms", "codes", limit: limit, skip: skip)
    }

    /// Makes SMS due at once; returns their number.
    ///
    /// - Parameter ids: At most 1000 SMS; `nil` for all dead letters.
    /// - Returns: The number of SMS.
    /// - Throws: ``FileClientError``.
    public func retrySMS(_ ids: [String]?) async throws -> Int {
        try await retry("sms", ids)
    }
}
