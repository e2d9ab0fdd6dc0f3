/// The steps of codes and of the SMS queue, each in one transaction.
extension WriteTransaction {
    /// Stores a new code for a number and queues the SMS with it.
    ///
    /// - Parameters:
    ///   - order: What is sent.
    ///   - policy: What the app does with SMS.
    ///   - ids: Generates the ids of rows.
    ///   - now: The time.
    /// - Throws: Errors of the store.
    func queueSMS(_ order: SMSOrder, _ policy: SMSPolicy, ids: ObjectIDGenerator, at now: Timestamp) throws {
        let nonce = order.hasCode ? SMSSecret.nonce() : nil
        if let nonce {
            try save(
                SMSCode(
                    order.purpose,
                    to: order.number,
                    of: order.user,
                    nonce: nonce,
                    until: now.adding(seconds: order.lifetime),
                    id: ids.next(),
                    at: now
                )
            )
        }
        guard policy.sends(to: order.number) else { return }
        let message = QueuedSMS(
            order.purpose,
            to: order.number,
            of: order.user,
            nonce: nonce,
            order.content,
            lifetime: order.lifetime,
            isEmpty: order.isEmpty,
            id: ids.next(),
            at: now
        )
        try insert(message.object, into: .sms)
    }

    /// Compares a code that a client sent, and counts a wrong one.
    ///
    /// It runs in a transaction that is committed, also after a wrong code, so that parallel guesses count like
    /// sequential ones.
    ///
    /// - Parameters:
    ///   - text: The code as the client sent it.
    ///   - purposes: What it must be for: one of these.
    ///   - number: The number to which it was sent.
    ///   - policy: What the app does with SMS.
    ///   - now: The time.
    /// - Returns: The code; `nil` if it is wrong, has ended or is used.
    /// - Throws: Errors of the store.
    func compareSMSCode(
        _ text: String,
        for purposes: [SMSPurpose],
        to number: PhoneNumber,
        _ policy: SMSPolicy,
        at now: Timestamp
    ) throws -> SMSCode? {
        let codes = try purposes.compactMap { try smsCode($0, to: number) }.filter { $0.expiresAt > now }
        if let right = codes.first(where: { policy.value(of: $0).matches(text) }) { return right }
        for var code in codes {
            code.tries += 1
            if code.tries >= policy.settings.maxTries {
                _ = try delete(code.id, in: .smsCode)
            } else {
                try update(code.object, in: .smsCode)
            }
        }
        return nil
    }

    /// Uses a code up.
    func useUp(_ code: SMSCode) throws {
        _ = try delete(code.id, in: .smsCode)
    }
}

/// An SMS to be queued.
struct SMSOrder: Sendable {
    /// What the code is for.
    var purpose: SMSPurpose
    /// The recipient.
    var number: PhoneNumber
    /// The user to whom the code belongs; `nil` for a code of no user.
    var user: ObjectID?
    /// What the request says of the text.
    var content: SMSContent
    /// Seconds for which the code is valid.
    var lifetime: Int
    /// Whether the text has a code.
    var hasCode = true
    /// Whether nothing is sent, so that an unknown number takes as long as a known one.
    var isEmpty = false
}
