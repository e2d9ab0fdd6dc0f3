/// A change that is made through the console, for its entry in the audit log: an object of the class `_ConsoleAudit`.
package struct ConsoleChange: Sendable {
    /// The method of the request.
    package let method: String
    /// The path without the query string and without secrets.
    package let path: String
    /// The id of the request in the log of the server.
    package let requestID: String
    /// What the request does, without values: "update Post/5f…".
    package let summary: String

    /// The maximum number of characters of ``path`` and ``summary``.
    private static let length = 300

    /// Creates a change; long strings are shortened.
    package init(method: String, path: String, requestID: String, summary: String) {
        self.method = method
        self.path = String(path.prefix(ConsoleChange.length))
        self.requestID = requestID
        self.summary = String(summary.prefix(ConsoleChange.length))
    }

    /// The entry before the change; its status follows when the response is known.
    func object(of session: ConsoleSession, from address: String, id: ObjectID, at now: Timestamp) -> StoredObject {
        StoredObject(
            id: id,
            createdAt: now,
            updatedAt: now,
            fields: [
                "session": .string(session.id.description), "method": .string(method), "path": .string(path),
                "requestId": .string(requestID), "summary": .string(summary), "address": .string(address),
            ]
        )
    }
}
