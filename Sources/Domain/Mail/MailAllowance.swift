internal import Synchronization

/// How many mails one app sends: to each address, because of each client, and together.
///
/// The allowances are in memory: a restart resets them.
package struct MailAllowance: Sendable {
    private let addresses: RateLimit<String>
    private let clients: RateLimit<CallerIdentity>
    private let app: RateLimit<AppID>

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
        addresses = limit(limits.perAddress, "this address was sent", "maxPerAddress")
        clients = limit(limits.perClient, "clients at this address caused", "maxPerClient")
        app = limit(limits.perApp, "the app has sent", "maxPerApp")
    }

    /// Takes one mail off the allowances; the master key has no limit.
    ///
    /// - Throws: ``ServiceError/Code/tooManyMails`` naming the limit; no allowance is used then.
    package func take(_ purpose: MailPurpose, to address: MailAddress, by caller: Caller) throws {
        guard !caller.isMaster else { return }
        var taken: [() -> Void] = []
        do {
            try clients.take(for: caller.identityByAddress)
            taken.append { clients.giveBack(for: caller.identityByAddress) }
            try addresses.take(for: MailAllowance.key(purpose, address))
            taken.append { addresses.giveBack(for: MailAllowance.key(purpose, address)) }
            try app.take(for: caller.app)
        } catch let error as ServiceError {
            for giveBack in taken { giveBack() }
            throw ServiceError(.tooManyMails, error.message, limit: error.limit, retryAfter: error.retryAfter)
        }
    }

    /// Makes a mail undone that ``take(_:to:by:)`` counted.
    package func giveBack(_ purpose: MailPurpose, to address: MailAddress, by caller: Caller) {
        guard !caller.isMaster else { return }
        clients.giveBack(for: caller.identityByAddress)
        giveBackUnsent(purpose, to: address, by: caller, hides: false)
    }

    /// Gives back what was taken for a mail that is not sent; the client's allowance stays used.
    ///
    /// - Parameters:
    ///   - purpose: What the mail would have been for.
    ///   - address: Its address.
    ///   - caller: Whose request asked for it.
    ///   - hides: Whether unknown addresses are answered as known ones: their allowance stays used then, because a
    ///     later refusal would tell them apart.
    package func giveBackUnsent(_ purpose: MailPurpose, to address: MailAddress, by caller: Caller, hides: Bool) {
        guard !caller.isMaster else { return }
        app.giveBack(for: caller.app)
        if !hides { addresses.giveBack(for: MailAllowance.key(purpose, address)) }
    }

    /// Each purpose has an allowance of its own, so that many requests to verify an address do not prevent the reset of
    /// its password.
    private static func key(_ purpose: MailPurpose, _ address: MailAddress) -> String {
        "\(purpose.rawValue) \(address.key)"
    }
}

/// The mails that one transaction queues, taken off the allowances; like ``SignUps``, for any thread.
final class TakenMails: Sendable {
    private let allowance: MailAllowance?
    private let taken = Mutex<[(purpose: MailPurpose, address: MailAddress, caller: Caller)]>([])

    /// No mail yet.
    init(_ allowance: MailAllowance?) {
        self.allowance = allowance
    }

    /// Takes one mail off the allowances.
    ///
    /// - Throws: ``ServiceError/Code/tooManyMails``.
    func take(_ purpose: MailPurpose, to address: MailAddress, by caller: Caller) throws {
        guard let allowance else { return }
        try allowance.take(purpose, to: address, by: caller)
        taken.withLock { $0.append((purpose, address, caller)) }
    }

    /// Gives back what was taken; called when the body begins, and when the transaction has failed.
    func startOver() {
        for mail in removeAll() { allowance?.giveBack(mail.purpose, to: mail.address, by: mail.caller) }
    }

    /// Gives back what was taken for mails that are not sent; see ``MailAllowance/giveBackUnsent(_:to:by:hides:)``.
    func giveBackUnsent(hides: Bool) {
        for mail in removeAll() {
            allowance?.giveBackUnsent(mail.purpose, to: mail.address, by: mail.caller, hides: hides)
        }
    }

    private func removeAll() -> [(purpose: MailPurpose, address: MailAddress, caller: Caller)] {
        taken.withLock { taken in
            defer { taken = [] }
            return taken
        }
    }
}

/// What an app does with mails; `nil` where there is such a value means that the server sends none.
package struct MailPolicy: Sendable {
    /// Limits the mails.
    package let allowance: MailAllowance
    /// The pages to which the pages of links can lead.
    package let redirects: RedirectTargets
    /// Whether a new address of a user is sent a link (`accounts.verifyEmail`).
    package let verifiesAddresses: Bool

    /// Creates a policy.
    package init(allowance: MailAllowance, redirects: RedirectTargets, verifiesAddresses: Bool) {
        self.allowance = allowance
        self.redirects = redirects
        self.verifiesAddresses = verifiesAddresses
    }
}
