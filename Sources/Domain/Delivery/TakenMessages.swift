internal import Synchronization

/// The messages that one transaction queues, taken off the allowances; like ``SignUps``, for any thread.
final class TakenMessages: Sendable {
    private let allowance: MessageAllowance?
    private let taken = Mutex<[(recipient: String, caller: Caller)]>([])

    /// No message yet; `nil` for no limits.
    init(_ allowance: MessageAllowance?) {
        self.allowance = allowance
    }

    /// Takes one message off the allowances.
    ///
    /// - Throws: As ``MessageAllowance/take(to:by:)``.
    func take(to recipient: String, by caller: Caller) throws {
        guard let allowance else { return }
        try allowance.take(to: recipient, by: caller)
        taken.withLock { $0.append((recipient, caller)) }
    }

    /// Gives back what was taken; called when the body begins, and when the transaction has failed.
    func startOver() {
        for message in removeAll() { allowance?.giveBack(to: message.recipient, by: message.caller) }
    }

    /// Gives back what was taken for messages that are not sent; see
    /// ``MessageAllowance/giveBackUnsent(to:by:hides:)``.
    func giveBackUnsent(hides: Bool) {
        for message in removeAll() {
            allowance?.giveBackUnsent(to: message.recipient, by: message.caller, hides: hides)
        }
    }

    private func removeAll() -> [(recipient: String, caller: Caller)] {
        taken.withLock { taken in
            defer { taken = [] }
            return taken
        }
    }
}
