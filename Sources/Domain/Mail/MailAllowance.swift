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
    package func take(to address: MailAddress, by caller: Caller) throws {
        guard !caller.isMaster else { return }
        do {
            try clients.take(for: caller.identityByAddress)
            do {
                try addresses.take(for: address.key)
                do {
                    try app.take(for: caller.app)
                } catch {
                    addresses.giveBack(for: address.key)
                    throw error
                }
            } catch {
                clients.giveBack(for: caller.identityByAddress)
                throw error
            }
        } catch let error as ServiceError {
            throw ServiceError(.tooManyMails, error.message, limit: error.limit, retryAfter: error.retryAfter)
        }
    }

    /// Makes a mail undone that ``take(to:by:)`` counted.
    package func giveBack(to address: MailAddress, by caller: Caller) {
        guard !caller.isMaster else { return }
        clients.giveBack(for: caller.identityByAddress)
        addresses.giveBack(for: address.key)
        app.giveBack(for: caller.app)
    }
}

/// The mails that one transaction queues, taken off the allowances; like ``SignUps``, for any thread.
final class TakenMails: Sendable {
    private let allowance: MailAllowance?
    private let taken = Mutex<[(MailAddress, Caller)]>([])

    /// No mail yet.
    init(_ allowance: MailAllowance?) {
        self.allowance = allowance
    }

    /// Takes one mail off the allowances.
    ///
    /// - Throws: ``ServiceError/Code/tooManyMails``.
    func take(to address: MailAddress, by caller: Caller) throws {
        guard let allowance else { return }
        try allowance.take(to: address, by: caller)
        taken.withLock { $0.append((address, caller)) }
    }

    /// Gives back what was taken; called when the body begins, and when the transaction has failed.
    func startOver() {
        let mails = taken.withLock { taken in
            defer { taken = [] }
            return taken
        }
        for (address, caller) in mails { allowance?.giveBack(to: address, by: caller) }
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
