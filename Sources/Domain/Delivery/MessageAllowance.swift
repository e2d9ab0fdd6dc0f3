/// How many messages of one kind an app sends: to each recipient, because of each client, and together.
///
/// The allowances are in memory: a restart resets them.
package struct MessageAllowance: Sendable {
    private let recipients: [RateLimit<String>]
    private let clients: RateLimit<CallerIdentity>
    private let app: RateLimit<AppID>
    private let refusal: ServiceError.Code

    /// - Parameters:
    ///   - recipients: The limits for one recipient.
    ///   - clients: The limit for clients at one address.
    ///   - app: The limit for the app.
    ///   - refusal: The code of the error when one of them is reached.
    init(
        recipients: [RateLimit<String>],
        clients: RateLimit<CallerIdentity>,
        app: RateLimit<AppID>,
        refusal: ServiceError.Code
    ) {
        self.recipients = recipients
        self.clients = clients
        self.app = app
        self.refusal = refusal
    }

    /// Takes one message off the allowances; the master key has no limit.
    ///
    /// - Throws: An error of the code for refusals naming the limit; no allowance is used then.
    func take(to recipient: String, by caller: Caller) throws {
        guard !caller.isMaster else { return }
        var taken: [() -> Void] = []
        do {
            try clients.take(for: caller.identityByAddress)
            taken.append { clients.giveBack(for: caller.identityByAddress) }
            for limit in recipients {
                try limit.take(for: recipient)
                taken.append { limit.giveBack(for: recipient) }
            }
            try app.take(for: caller.app)
        } catch let error as ServiceError {
            for giveBack in taken { giveBack() }
            throw ServiceError(refusal, error.message, limit: error.limit, retryAfter: error.retryAfter)
        }
    }

    /// Gives back what ``take(to:by:)`` took for a message.
    func giveBack(to recipient: String, by caller: Caller) {
        guard !caller.isMaster else { return }
        clients.giveBack(for: caller.identityByAddress)
        giveBackUnsent(to: recipient, by: caller, hides: false)
    }

    /// Gives back what was taken for a message that is not sent; the client's allowance stays used.
    ///
    /// - Parameters:
    ///   - recipient: Its recipient.
    ///   - caller: Whose request asked for it.
    ///   - hides: Whether unknown recipients are answered as known ones: their allowance stays used then, because a
    ///     later refusal would tell them apart.
    func giveBackUnsent(to recipient: String, by caller: Caller, hides: Bool) {
        guard !caller.isMaster else { return }
        app.giveBack(for: caller.app)
        if !hides { for limit in recipients { limit.giveBack(for: recipient) } }
    }
}
