/// A row of the mail queue: a mail that the mail server has not accepted yet, or a dead letter.
///
/// It is an object of the class `_Mail`, written in the transaction that causes the mail. It contains no token: the
/// worker makes a new link for each attempt (``MailLink``), so that a stolen database or backup contains none, and the
/// life of a link begins when its mail is sent.
package struct QueuedMail: QueuedMessage, Hashable {
    package static let queue = ClassName.mail

    package let id: ObjectID
    package let createdAt: Timestamp
    package var turn: DeliveryTurn
    /// What the mail is for.
    package let purpose: MailPurpose
    /// The user; `nil` for a row without a mail, which makes an unknown address take as long as a known one.
    package let user: ObjectID?
    /// The recipient.
    package let to: String
    /// The URL to which the link's page leads.
    package let redirect: String?

    /// Creates a mail that is due now.
    init(
        _ purpose: MailPurpose,
        to address: String,
        of user: ObjectID?,
        redirect: String?,
        id: ObjectID,
        at now: Timestamp
    ) {
        self.id = id
        self.purpose = purpose
        self.user = user
        to = address
        self.redirect = redirect
        createdAt = now
        turn = DeliveryTurn(at: now)
    }

    package init?(_ object: StoredObject) {
        let fields = object.fields
        guard let purpose = fields["purpose"]?.stringValue.flatMap(MailPurpose.init),
            let to = fields["to"]?.stringValue, let turn = DeliveryTurn(object)
        else { return nil }
        self.init(
            purpose,
            to: to,
            of: fields["user"].flatMap(Pointer.init(stored:))?.id,
            redirect: fields["redirect"]?.stringValue,
            id: object.id,
            at: object.createdAt
        )
        self.turn = turn
    }

    package var ownFields: [String: JSONValue] {
        var fields: [String: JSONValue] = ["purpose": .string(purpose.rawValue), "to": .string(to)]
        fields["user"] = user.map { Pointer(.user, $0).json }
        fields["redirect"] = redirect.map(JSONValue.string)
        return fields
    }
}
