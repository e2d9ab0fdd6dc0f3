/// How many mails one app sends: to each address, because of each client, and together.
package struct MailAllowance: Sendable {
    /// The allowances; a recipient is that of ``recipient(_:_:)``.
    let messages: MessageAllowance

    /// - Parameters:
    ///   - limits: The numbers for one hour.
    ///   - clock: Returns the current time.
    package init(
        _ limits: MailSettings.Limits,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        func limit<Key>(_ count: Int, _ what: String, _ name: String) -> RateLimit<Key> {
            RateLimit(
                count,
                seconds: 3600,
                setting: "mail.\(name)",
                refusal: "Too many mails: \(what) \(count), the limit for one hour",
                clock: clock
            )
        }
        messages = MessageAllowance(
            recipients: [limit(limits.perAddress, "this address was sent", "maxPerAddress")],
            clients: limit(limits.perClient, "clients at this address caused", "maxPerClient"),
            app: limit(limits.perApp, "the app has sent", "maxPerApp"),
            refusal: .tooManyMails
        )
    }

    /// The recipient by which mails are counted.
    ///
    /// Each purpose has an allowance of its own, so that many requests to verify an address do not prevent the reset of
    /// its password.
    static func recipient(_ purpose: MailPurpose, _ address: MailAddress) -> String {
        "\(purpose.rawValue) \(address.key)"
    }

    /// Takes one mail off the allowances; the master key has no limit.
    ///
    /// - Throws: ``ServiceError/Code/tooManyMails`` naming the limit; no allowance is used then.
    package func take(_ purpose: MailPurpose, to address: MailAddress, by caller: Caller) throws {
        try messages.take(to: MailAllowance.recipient(purpose, address), by: caller)
    }

    /// Gives back what ``take(_:to:by:)`` took for a mail.
    package func giveBack(_ purpose: MailPurpose, to address: MailAddress, by caller: Caller) {
        messages.giveBack(to: MailAllowance.recipient(purpose, address), by: caller)
    }

    /// Gives back what was taken for a mail that is not sent; see ``MessageAllowance/giveBackUnsent(to:by:hides:)``.
    package func giveBackUnsent(_ purpose: MailPurpose, to address: MailAddress, by caller: Caller, hides: Bool) {
        messages.giveBackUnsent(to: MailAllowance.recipient(purpose, address), by: caller, hides: hides)
    }
}

extension TakenMessages {
    /// Takes one mail off the allowances.
    ///
    /// - Throws: ``ServiceError/Code/tooManyMails``.
    func take(_ purpose: MailPurpose, to address: MailAddress, by caller: Caller) throws {
        try take(to: MailAllowance.recipient(purpose, address), by: caller)
    }
}
