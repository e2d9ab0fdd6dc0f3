/// What an app does with SMS; `nil` where there is such a value means that the server sends none.
package struct SMSPolicy: Sendable {
    /// The settings of codes.
    package let settings: SMSSettings
    /// Limits the SMS.
    let allowance: SMSAllowance
    /// Derives the codes.
    let secret: SMSSecret
    /// Numbers that get no SMS.
    let fixed: FixedNumbers
    /// The texts.
    let templates: SMSTemplates
    /// Whether the server sends SMS to other numbers (`sms.provider`).
    let canSend: Bool
    /// Whether operators see codes: only in development (`sms.provider: log`).
    let showsCodes: Bool

    /// Creates a policy.
    package init(
        settings: SMSSettings,
        allowance: SMSAllowance,
        secret: SMSSecret,
        fixed: FixedNumbers,
        templates: SMSTemplates,
        canSend: Bool,
        showsCodes: Bool = false
    ) {
        self.settings = settings
        self.allowance = allowance
        self.secret = secret
        self.fixed = fixed
        self.templates = templates
        self.canSend = canSend
        self.showsCodes = showsCodes
    }

    /// The code of a row, which nothing stores.
    func value(of code: SMSCode) -> Secret {
        fixed.code(of: code.number) ?? secret.code(code.nonce, code.purpose, to: code.number)
    }

    /// Whether a number gets an SMS, and not a fixed code.
    func sends(to number: PhoneNumber) -> Bool { fixed.code(of: number) == nil }

    /// Throws ``ServiceError/Code/notAvailable`` for a number to which the server can send nothing.
    func requireSending(to number: PhoneNumber) throws {
        guard !canSend, sends(to: number) else { return }
        throw SMSPolicy.off
    }

    /// The error of a server that sends no SMS.
    package static let off = ServiceError(
        .notAvailable,
        "This server sends no SMS: the setting sms.provider is missing."
    )
}
