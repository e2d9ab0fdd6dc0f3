internal import Domain
internal import Synchronization

/// The memory that all JSON bodies, and the values made of them, hold together.
///
/// A body counts as it arrives, not by its Content-Length, and until its request is answered. One user, or one address
/// of guests, holds at most a quarter of the limit, all guests half of it, and guests and users together three
/// quarters: the rest is always free for the master key. May be used from any thread.
final class BodyMemory: Sendable {
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var total = 0
        var ofGuests = 0
        var ofGuestsAndUsers = 0
        /// The bytes that each guest and user holds; without entries of 0 bytes.
        var senders: [CallerIdentity: Int] = [:]
    }

    /// - Parameter limit: Bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// What all requests hold now, in bytes.
    var used: Int { state.withLock { $0.total } }

    /// A share for one request, which holds nothing yet; ``Share/end()`` must be called when the request is answered.
    func share(of sender: CallerIdentity) -> Share {
        Share(memory: self, sender: sender)
    }

    /// What one request holds.
    final class Share: Sendable {
        private let memory: BodyMemory
        private let sender: CallerIdentity
        private let held = Atomic(0)

        fileprivate init(memory: BodyMemory, sender: CallerIdentity) {
            self.memory = memory
            self.sender = sender
        }

        /// Holds so many more bytes.
        ///
        /// - Throws: ``ServiceError/Code/overloaded`` if the sender, its kind or all requests would hold too much.
        func grow(by bytes: Int) throws {
            guard tryGrow(by: bytes) else {
                throw ServiceError(
                    .overloaded,
                    "Too many or too large request bodies are being processed (http.bodyMemory); try again in a second."
                )
            }
        }

        /// Holds so many more bytes, or returns false.
        func tryGrow(by bytes: Int) -> Bool {
            guard bytes <= 0 || memory.take(bytes, for: sender) else { return false }
            held.add(max(0, bytes), ordering: .relaxed)
            return true
        }

        /// Gives bytes back, at most what is held.
        func shrink(by bytes: Int) {
            let before = held.load(ordering: .relaxed)
            let bytes = min(bytes, before)
            held.subtract(bytes, ordering: .relaxed)
            memory.give(bytes, of: sender)
        }

        /// Gives everything back.
        func end() {
            let bytes = held.exchange(0, ordering: .relaxed)
            memory.give(bytes, of: sender)
        }
    }

    private func take(_ bytes: Int, for sender: CallerIdentity) -> Bool {
        state.withLock { state in
            guard state.total + bytes <= limit else { return false }
            if sender != .master {
                let ofSender = state.senders[sender, default: 0] + bytes
                guard ofSender <= limit / 4, state.ofGuestsAndUsers + bytes <= limit / 4 * 3 else { return false }
                if case .guest = sender {
                    guard state.ofGuests + bytes <= limit / 2 else { return false }
                    state.ofGuests += bytes
                }
                state.ofGuestsAndUsers += bytes
                state.senders[sender] = ofSender
            }
            state.total += bytes
            return true
        }
    }

    private func give(_ bytes: Int, of sender: CallerIdentity) {
        guard bytes > 0 else { return }
        state.withLock { state in
            state.total -= bytes
            guard sender != .master else { return }
            state.ofGuestsAndUsers -= bytes
            if case .guest = sender { state.ofGuests -= bytes }
            let rest = state.senders[sender, default: 0] - bytes
            state.senders[sender] = rest > 0 ? rest : nil
        }
    }
}
