internal import Crypto

/// What the last import of a user gave as its password and its session, by which the next one knows what is new.
///
/// What is stored of the user does not tell: a log-in replaces an imported hash, and a session can have ended. The
/// digests reveal neither, because the hash has a random salt and the token is random.
struct ImportedCredentials {
    /// The field of a user that stores the digests; clients can neither read nor write it.
    static let field = "_imported"

    /// The digest of the hash; `nil` if no import gave one.
    private(set) var hash: String?
    /// The digest of the session token; `nil` if no import gave one.
    private(set) var token: String?

    /// Reads those of a user; `nil` for a new one.
    init(of user: StoredObject?) {
        let stored = user?.fields[ImportedCredentials.field]?.objectValue
        (hash, token) = (stored?["hash"]?.stringValue, stored?["token"]?.stringValue)
    }

    /// Takes those that an import gives; others stay.
    mutating func take(_ hash: PasswordHash?, _ token: SessionToken?) {
        self.hash = hash?.digest ?? self.hash
        self.token = token?.digest ?? self.token
    }

    /// The value of the field; `nil` if no import gave anything.
    var json: JSONValue? {
        var members: [String: JSONValue] = [:]
        members["hash"] = hash.map(JSONValue.string)
        members["token"] = token.map(JSONValue.string)
        return members.isEmpty ? nil : .object(members)
    }

    /// Whether an import says nothing new about the password of a user.
    ///
    /// The hash of the last import is known, also if the user has set another password here since. Without one to
    /// compare with, the later change counts; of equal times the stored password does, because an import without
    /// hashes has given that time to a user whose password was set here.
    ///
    /// - Parameters:
    ///   - hash: The hash that the import gives.
    ///   - user: The user as stored.
    ///   - time: The time of the user's last change on the other server.
    /// - Returns: Whether the stored password stays.
    static func know(_ hash: PasswordHash, of user: StoredObject, changedAt time: Timestamp) -> Bool {
        guard let stored = user.fields[PasswordHash.field]?.stringValue else { return false }
        if let known = ImportedCredentials(of: user).hash { return known == hash.digest }
        return stored == hash.text || time <= user.updatedAt
    }
}

extension PasswordHash {
    /// The SHA-256 of the hash in hexadecimal digits.
    fileprivate var digest: String { SHA256.hash(data: Array(text.utf8)).hexadecimal }
}
