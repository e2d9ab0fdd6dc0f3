/// A code that was sent to a number: an object of the class `_SmsCode`, which does not contain the code itself
/// (``SMSSecret``).
///
/// A number has at most one for each purpose: the last one.
package struct SMSCode: Sendable, Hashable {
    /// The id of the row.
    package let id: ObjectID
    /// What the code is for.
    package let purpose: SMSPurpose
    /// The number to which it was sent.
    package let number: PhoneNumber
    /// The user who can use the code; `nil` for a code that belongs to no user, and for one that serves no user.
    package let user: ObjectID?
    /// The random number of which the code is derived.
    let nonce: String
    /// The number of wrong tries so far.
    package var tries = 0
    /// When the code ends.
    package let expiresAt: Timestamp
    /// When it was requested.
    package let createdAt: Timestamp

    init(
        _ purpose: SMSPurpose,
        to number: PhoneNumber,
        of user: ObjectID?,
        nonce: String,
        until end: Timestamp,
        id: ObjectID,
        at now: Timestamp
    ) {
        self.id = id
        self.purpose = purpose
        self.number = number
        self.user = user
        self.nonce = nonce
        expiresAt = end
        createdAt = now
    }

    /// Reads a row; `nil` for one that only another program can have written.
    package init?(_ object: StoredObject) {
        let fields = object.fields
        guard let purpose = fields["purpose"]?.stringValue.flatMap(SMSPurpose.init),
            let number = fields["number"]?.stringValue.flatMap({ try? PhoneNumber($0, country: "") }),
            let nonce = fields["nonce"]?.stringValue, let end = fields["expiresAt"]?.dateValue
        else { return nil }
        self.init(
            purpose,
            to: number,
            of: fields["user"].flatMap(Pointer.init(stored:))?.id,
            nonce: nonce,
            until: end,
            id: object.id,
            at: object.createdAt
        )
        tries = Int(fields["tries"]?.integerValue ?? 0)
    }

    /// The row as an object.
    var object: StoredObject {
        var fields: [String: JSONValue] = [
            "purpose": .string(purpose.rawValue), "number": .string(number.description), "nonce": .string(nonce),
            "target": .string(SMSCode.target(purpose, number)), "tries": .integer(Int64(tries)),
            "expiresAt": .date(expiresAt),
        ]
        fields["user"] = user.map { Pointer(.user, $0).json }
        return StoredObject(id: id, createdAt: createdAt, updatedAt: createdAt, fields: fields)
    }

    /// The unique field by which a code is found.
    static func target(_ purpose: SMSPurpose, _ number: PhoneNumber) -> String {
        "\(purpose.rawValue) \(number)"
    }
}

extension ReadTransaction {
    /// The last code that was sent to a number for a purpose, also one that has ended; `nil` if there is none.
    func smsCode(_ purpose: SMSPurpose, to number: PhoneNumber) throws -> SMSCode? {
        let isTarget = Condition.field(
            FieldPath(field: "target"),
            .equals(.string(SMSCode.target(purpose, number)))
        )
        return try find(ObjectQuery(.smsCode, where: isTarget, page: .first)).first.flatMap(SMSCode.init)
    }
}

extension WriteTransaction {
    /// Stores a code in the place of the last one for its number and purpose.
    func save(_ code: SMSCode) throws {
        if let old = try smsCode(code.purpose, to: code.number) { _ = try delete(old.id, in: .smsCode) }
        try insert(code.object, into: .smsCode)
    }

    /// Makes all codes void that were sent to users, and deletes the SMS that wait for them: after a change of the
    /// number or the password, and with the users.
    func voidSMS(of users: [ObjectID]) throws {
        let isTheirs = Condition.field(FieldPath(field: "user"), .isIn(ValueSet(users.map { Pointer(.user, $0).json })))
        for name in [ClassName.smsCode, .sms] {
            try delete(try rows(ObjectQuery(name, where: isTheirs, page: .all)).map(\.id), in: name)
        }
    }
}
