/// A log-in at the console, as an object of the class `_ConsoleSession`.
package struct ConsoleSession: Sendable {
    /// The id, which the audit log and `lcfile console sessions` name.
    package let id: ObjectID
    /// Whether the session changes nothing: the log-in was with the read-only key.
    package let isReadOnly: Bool
    /// The time of the log-in.
    package let createdAt: Timestamp
    /// When it ends at the latest.
    package let expiresAt: Timestamp
    /// The last use, with the precision of a minute.
    package let lastUsedAt: Timestamp
    /// The client address of the log-in.
    package let address: String
    /// What the browser says that it is, shortened.
    package let browser: String
    let digest: String

    /// The field with the digest of the token, which no response contains.
    static let token = "_token"
    /// The maximum number of characters of ``browser``.
    private static let browserLength = 200

    init(
        _ token: ConsoleToken,
        with key: Secret,
        isReadOnly: Bool,
        from address: String,
        browser: String,
        life: Int,
        at now: Timestamp
    ) {
        id = token.session
        digest = token.digest(with: key)
        self.isReadOnly = isReadOnly
        createdAt = now
        lastUsedAt = now
        expiresAt = now.adding(seconds: life)
        self.address = address
        self.browser = String(browser.prefix(ConsoleSession.browserLength))
    }

    init?(stored object: StoredObject) {
        guard let digest = object.fields[ConsoleSession.token]?.stringValue,
            let expiresAt = object.fields["expiresAt"]?.dateValue,
            let lastUsedAt = object.fields["lastUsedAt"]?.dateValue
        else { return nil }
        id = object.id
        self.digest = digest
        isReadOnly = object.fields["readOnly"] != .bool(false)
        createdAt = object.createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
        address = object.fields["address"]?.stringValue ?? ""
        browser = object.fields["browser"]?.stringValue ?? ""
    }

    var object: StoredObject {
        StoredObject(
            id: id,
            createdAt: createdAt,
            updatedAt: createdAt,
            fields: [
                ConsoleSession.token: .string(digest), "readOnly": .bool(isReadOnly), "expiresAt": .date(expiresAt),
                "lastUsedAt": .date(lastUsedAt), "address": .string(address), "browser": .string(browser),
            ]
        )
    }

    /// Whether the session is over at a time.
    func isOver(at now: Timestamp, idleTime: Int) -> Bool {
        now >= expiresAt || now >= lastUsedAt.adding(seconds: idleTime)
    }

    /// The form of the API.
    package var json: JSONValue {
        .object([
            "objectId": .string(id.description), "readOnly": .bool(isReadOnly), "createdAt": .string(createdAt.iso8601),
            "expiresAt": .string(expiresAt.iso8601), "lastUsedAt": .string(lastUsedAt.iso8601),
            "address": .string(address), "browser": .string(browser),
        ])
    }
}
