internal import Synchronization

/// A number of things that all clients of live queries can have, of which those at one address can have a quarter;
/// thread-safe.
package final class LiveBudget: Sendable {
    private struct State {
        var used = 0
        var ofAddress: [String: Int] = [:]
    }

    /// Which part of a budget is used up.
    package enum Exhausted: Sendable, Equatable {
        /// The part of the clients at one address.
        case share
        /// The whole.
        case limit
    }

    /// The maximum number for all clients.
    package let limit: Int
    /// The maximum number for the clients at one address.
    package let share: Int
    private let state = Mutex(State())

    /// Creates a budget of which nothing is used.
    package init(limit: Int) {
        self.limit = limit
        share = LiveUsage.share(of: limit)
    }

    /// The number that is used.
    package var used: Int { state.withLock(\.used) }

    /// What prevents the clients at an address from one more; `nil` if they can have it.
    ///
    /// - Parameter address: The client address; `nil` has no share.
    /// - Returns: The part that is used up.
    package func exhausted(for address: String?) -> Exhausted? {
        state.withLock { exhausted(for: address, $0) }
    }

    /// Takes one for a client at an address.
    ///
    /// - Parameter address: The client address; `nil` has no share.
    /// - Returns: `false` if nothing was taken, because the whole or the part of the address is used up.
    package func take(for address: String?) -> Bool {
        state.withLock { state in
            guard exhausted(for: address, state) == nil else { return false }
            state.used += 1
            if let address { state.ofAddress[address, default: 0] += 1 }
            return true
        }
    }

    /// Returns what ``take(for:)`` took for the same address.
    package func release(for address: String?) {
        state.withLock { state in
            state.used -= 1
            guard let address, let count = state.ofAddress[address] else { return }
            state.ofAddress[address] = count > 1 ? count - 1 : nil
        }
    }

    private func exhausted(for address: String?, _ state: State) -> Exhausted? {
        if state.used >= limit { return .limit }
        guard let address, state.ofAddress[address, default: 0] >= share else { return nil }
        return .share
    }
}
