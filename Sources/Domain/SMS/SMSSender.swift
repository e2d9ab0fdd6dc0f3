/// Hands SMS to the provider that sends them.
package protocol SMSSender: Sendable {
    /// Sends an SMS; returns when the provider has accepted it.
    ///
    /// Ends within about a second if the task is cancelled; whether the SMS was accepted is then unknown. Throws
    /// ``DeliveryFailure``, and `CancellationError`.
    func send(_ message: SMSMessage) async throws
}

/// One SMS, ready to be sent.
package struct SMSMessage: Sendable {
    /// The id of its row, the same at each attempt.
    package let id: ObjectID
    /// The app.
    package let app: AppID
    /// The recipient.
    package let number: PhoneNumber
    /// What its code is for.
    package let purpose: SMSPurpose
    /// The whole text.
    package let text: String
    /// The name of the template: `verify` and similar ones of lcfile, or one of the operator's.
    package let template: String
    /// The name of the signature; empty for none.
    package let sign: String
    /// The variables of the template, with `code`, `ttl` in minutes, and `name`.
    package let variables: [String: String]
    /// Whether the code is read out in a call.
    package let isVoice: Bool

    /// Creates a message.
    package init(
        id: ObjectID,
        app: AppID,
        number: PhoneNumber,
        purpose: SMSPurpose,
        text: String,
        template: String,
        sign: String,
        variables: [String: String],
        isVoice: Bool
    ) {
        self.id = id
        self.app = app
        self.number = number
        self.purpose = purpose
        self.text = text
        self.template = template
        self.sign = sign
        self.variables = variables
        self.isVoice = isVoice
    }
}
