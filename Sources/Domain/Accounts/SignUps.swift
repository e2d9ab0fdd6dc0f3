internal import Synchronization

/// The users that one transaction makes, taken off the allowance of their addresses (``RateLimit/signUps(_:clock:)``).
///
/// The allowance is in memory and not part of the transaction. So what a run of the transaction's body took is given
/// back when the body runs again, and when the transaction fails. For any thread.
final class SignUps: Sendable {
    private let rate: RateLimit<CallerIdentity>
    private let taken = Mutex<[Caller]>([])

    /// No user yet.
    init(_ rate: RateLimit<CallerIdentity>) {
        self.rate = rate
    }

    /// Takes one user off the allowance of the caller's address.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` if nothing of the allowance is left.
    func take(for caller: Caller) throws {
        try rate.take(for: caller)
        taken.withLock { $0.append(caller) }
    }

    /// Gives back what was taken; called when the body begins, and when the transaction has failed.
    func startOver() {
        let callers = taken.withLock { taken in
            defer { taken = [] }
            return taken
        }
        for caller in callers { rate.giveBack(for: caller) }
    }
}
