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

    /// The maximum number of characters of ``path``: the console deletes 100 objects with one request, by their ids.
    private static let pathLength = 4096
    /// The maximum number of characters of ``summary``, which the console shows on one line.
    private static let summaryLength = 300

    /// Creates a change; a string that is too long is cut off and ends with an ellipsis.
    package init(method: String, path: String, requestID: String, summary: String) {
        self.method = method
        self.path = path.shortened(to: ConsoleChange.pathLength)
        self.requestID = requestID
        self.summary = summary.shortened(to: ConsoleChange.summaryLength)
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

extension String {
    fileprivate func shortened(to length: Int) -> String {
        count > length ? "\(prefix(length - 1))…" : self
    }
}
