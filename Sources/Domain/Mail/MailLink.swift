internal import Crypto

/// The secret part of a link in a mail; only its digest is stored.
package struct MailToken: Sendable, CustomStringConvertible {
    /// The token itself, for the mail.
    package let revealed: String

    /// Creates a token: 40 lower-case letters and digits, 206 random bits.
    init() {
        revealed = RandomString.lowercase(MailToken.length)
    }

    /// Parses the token of a URL; `nil` if it has another form.
    package init?(_ text: String) {
        guard text.utf8.count == MailToken.length, text.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
        revealed = text
    }

    /// The SHA-256 of the token in hexadecimal digits; a lookup by it does not reveal how much of a guess was right.
    var digest: String { SHA256.hash(data: Array(revealed.utf8)).hexadecimal }

    /// Never the token, so that no log line can contain it.
    package var description: String { "<token>" }

    private static let length = 40
}

/// A link that was sent to a user: an object of the class `_MailLink`.
package struct MailLink: Sendable, Hashable {
    /// What the link does.
    package let purpose: MailPurpose
    /// The user.
    package let user: ObjectID
    /// The address to which the link was sent; the link is void when the user has another one.
    package let to: String
    /// The URL to which the link's page leads.
    package let redirect: String?
    /// When the link ends.
    package let expiresAt: Timestamp

    /// Reads a row; `nil` for one that only another program can have written.
    init?(_ object: StoredObject) {
        let fields = object.fields
        guard let purpose = fields["purpose"]?.stringValue.flatMap(MailPurpose.init),
            let user = fields["user"].flatMap(Pointer.init(stored:))?.id, let to = fields["to"]?.stringValue,
            let expiresAt = fields["expiresAt"]?.dateValue
        else { return nil }
        self.purpose = purpose
        self.user = user
        self.to = to
        redirect = fields["redirect"]?.stringValue
        self.expiresAt = expiresAt
    }

    /// The maximum number of valid links of a user for one purpose: the last ones that were sent.
    static let maxLinks = 10

    /// The fields of a new link.
    static func fields(
        of mail: QueuedMail,
        _ user: ObjectID,
        _ token: MailToken,
        until end: Timestamp
    ) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "purpose": .string(mail.purpose.rawValue), "user": Pointer(.user, user).json, "to": .string(mail.to),
            "expiresAt": .date(end), "_token": .string(token.digest),
        ]
        fields["redirect"] = mail.redirect.map(JSONValue.string)
        return fields
    }
}

extension ReadTransaction {
    /// The link of a token with its user; `nil` unless the link is valid: it is not used, has not ended, and was sent
    /// to the user's present address.
    func mailLink(_ token: MailToken, at now: Timestamp) throws -> (link: MailLink, user: StoredObject)? {
        let isToken = Condition.field(FieldPath(field: "_token"), .equals(.string(token.digest)))
        let rows = try find(ObjectQuery(.mailLink, where: isToken, page: .first))
        guard let link = rows.first.flatMap(MailLink.init), link.expiresAt > now,
            let user = try object(link.user, in: .user), user.fields[AccountName.email.rawValue] == .string(link.to)
        else { return nil }
        return (link, user)
    }
}

extension WriteTransaction {
    /// Makes all links void that were sent to users, and deletes the mails that wait for them: after a change of the
    /// address or the password, a use of a link, and with the users.
    func voidMails(of users: [ObjectID], for purpose: MailPurpose? = nil) throws {
        let isTheirs = Condition.field(FieldPath(field: "user"), .isIn(ValueSet(users.map { Pointer(.user, $0).json })))
        let isOfPurpose = purpose.map {
            Condition.field(FieldPath(field: "purpose"), .equals(.string($0.rawValue)))
        }
        for name in [ClassName.mailLink, .mail] {
            let condition = isOfPurpose.map { Condition.all([isTheirs, $0]) } ?? isTheirs
            try delete(try rows(ObjectQuery(name, where: condition, page: .all)).map(\.id), in: name)
        }
    }
}
