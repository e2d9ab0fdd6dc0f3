internal import Domain
internal import Synchronization

/// The memory of all JSON bodies and their values together.
///
/// A body counts as it arrives, not by its Content-Length, until its response is made; the replies of a batch count
/// until they are sent. One user, or one address of guests, uses at most a quarter of the limit, all guests half of it,
/// and guests and users together three quarters: the rest is always free for the master key. Thread-safe.
final class BodyMemory: Sendable {
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var total = 0
        var ofGuests = 0
        var ofGuestsAndUsers = 0
        /// The bytes that each guest and user uses; without entries of 0 bytes.
        var senders: [CallerIdentity: Int] = [:]
    }

    /// - Parameter limit: The maximum memory in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// The memory that all requests use, in bytes.
    var used: Int { state.withLock { $0.total } }

    /// An empty share for one request; it ends with ``Share/end()`` or its last reference.
    func share(of sender: CallerIdentity) -> Share {
        Share(memory: self, sender: sender)
    }

    /// The memory that one request uses.
    final class Share: Sendable {
        private let memory: BodyMemory
        private let sender: CallerIdentity
        private let held = Atomic(0)

        fileprivate init(memory: BodyMemory, sender: CallerIdentity) {
            self.memory = memory
            self.sender = sender
        }

        /// The bytes that the request uses.
        var used: Int { held.load(ordering: .relaxed) }

        deinit { end() }

        /// Moves bytes to a share of their own, at most those of this one.
        func split(_ bytes: Int) -> Share {
            let other = Share(memory: memory, sender: sender)
            let bytes = min(bytes, held.load(ordering: .relaxed))
            held.subtract(bytes, ordering: .relaxed)
            other.held.add(bytes, ordering: .relaxed)
            return other
        }

        /// Adds bytes to the share.
        ///
        /// - Parameters:
        ///   - bytes: The bytes.
        ///   - tooLarge: The error for a request that alone exceeds the limit of its sender, so that trying again
        ///     cannot succeed; `nil` for ``ServiceError/Code/payloadTooLarge``, which names the body.
        /// - Throws: That error; ``ServiceError/Code/overloaded`` if the limit of the sender, its kind or all requests
        ///   would be exceeded.
        func grow(by bytes: Int, orThrow tooLarge: ServiceError? = nil) throws {
            guard tryGrow(by: bytes) else {
                let limit = memory.limit(of: sender)
                guard held.load(ordering: .relaxed) + bytes <= limit else {
                    throw tooLarge
                        ?? ServiceError(
                            .payloadTooLarge,
                            "The request body takes more than \(limit) bytes of memory with its values, the limit of "
                                + "one request (http.bodyMemory)."
                        )
                }
                throw ServiceError(
                    .overloaded,
                    "Too many or too large request bodies are being processed (http.bodyMemory); try again in a second.",
                    limit: "http.bodyMemory"
                )
            }
        }

        /// Adds bytes to the share, or returns `false` if a limit would be exceeded.
        func tryGrow(by bytes: Int) -> Bool {
            guard bytes <= 0 || memory.take(bytes, for: sender) else { return false }
            held.add(max(0, bytes), ordering: .relaxed)
            return true
        }

        /// Releases bytes, at most those of the share.
        func shrink(by bytes: Int) {
            let before = held.load(ordering: .relaxed)
            let bytes = min(bytes, before)
            held.subtract(bytes, ordering: .relaxed)
            memory.give(bytes, of: sender)
        }

        /// Releases all bytes.
        func end() {
            let bytes = held.exchange(0, ordering: .relaxed)
            memory.give(bytes, of: sender)
        }
    }

    /// The maximum memory of one sender in bytes.
    private func limit(of sender: CallerIdentity) -> Int { sender == .master ? limit : limit / 4 }

    private func take(_ bytes: Int, for sender: CallerIdentity) -> Bool {
        state.withLock { state in
            guard state.total + bytes <= limit else { return false }
            if sender != .master {
                let ofSender = state.senders[sender, default: 0] + bytes
                guard ofSender <= limit(of: sender), state.ofGuestsAndUsers + bytes <= limit / 4 * 3 else {
                    return false
                }
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
