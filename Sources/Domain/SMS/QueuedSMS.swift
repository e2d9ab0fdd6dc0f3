/// A row of the SMS queue: an SMS that the provider has not accepted yet, or a dead letter.
///
/// It is an object of the class `_Sms`, written in the transaction that causes the SMS. It contains no code: the worker
/// derives it (``SMSSecret``).
package struct QueuedSMS: QueuedMessage, Hashable {
    package static let queue = ClassName.sms

    package let id: ObjectID
    package let createdAt: Timestamp
    package var turn: DeliveryTurn
    /// What the code is for.
    package let purpose: SMSPurpose
    /// The recipient.
    package let number: PhoneNumber
    /// The user to whom the code belongs; `nil` for a code of no user.
    package let user: ObjectID?
    /// Whether nothing is sent: the row makes an unknown number take as long as a known one.
    package let isEmpty: Bool
    /// The random number of the code; `nil` for a text without a code.
    var nonce: String?
    /// What the request says of the text.
    let content: SMSContent
    /// The name of the template.
    package var template: String { content.template }
    /// Seconds for which the code is valid.
    let lifetime: Int

    init(
        _ purpose: SMSPurpose,
        to number: PhoneNumber,
        of user: ObjectID?,
        nonce: String?,
        _ content: SMSContent,
        lifetime: Int,
        isEmpty: Bool = false,
        id: ObjectID,
        at now: Timestamp
    ) {
        self.id = id
        self.purpose = purpose
        self.number = number
        self.user = user
        self.nonce = nonce
        self.content = content
        self.lifetime = lifetime
        self.isEmpty = isEmpty
        createdAt = now
        turn = DeliveryTurn(at: now)
    }

    package init?(_ object: StoredObject) {
        let fields = object.fields
        guard let purpose = fields["purpose"]?.stringValue.flatMap(SMSPurpose.init),
            let number = fields["number"]?.stringValue.flatMap({ try? PhoneNumber($0, country: "") }),
            let turn = DeliveryTurn(object)
        else { return nil }
        self.init(
            purpose,
            to: number,
            of: fields["user"].flatMap(Pointer.init(stored:))?.id,
            nonce: fields["nonce"]?.stringValue,
            SMSContent(stored: fields),
            lifetime: Int(fields["lifetime"]?.integerValue ?? 0),
            isEmpty: fields["empty"] == .bool(true),
            id: object.id,
            at: object.createdAt
        )
        self.turn = turn
    }

    package var ownFields: [String: JSONValue] {
        var fields = content.fields
        fields["purpose"] = .string(purpose.rawValue)
        fields["number"] = .string(number.description)
        fields["lifetime"] = .integer(Int64(lifetime))
        fields["user"] = user.map { Pointer(.user, $0).json }
        fields["nonce"] = nonce.map(JSONValue.string)
        if isEmpty { fields["empty"] = .bool(true) }
        return fields
    }
}
