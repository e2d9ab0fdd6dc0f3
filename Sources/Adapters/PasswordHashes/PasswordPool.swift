package import Domain
package import NIOPosix

/// Hashes passwords with scrypt, and verifies hashes that other servers created.
///
/// It has its own threads: a flood of log-ins delays only log-ins, and is refused beyond a bound. Callers get threads
/// in turn, and a caller with many requests loses queue slots to new callers (``FairPermits``).
package struct PasswordPool: PasswordHasher {
    private let scrypt: ScryptHash
    private let pool: NIOThreadPool
    let permits: FairPermits<CallerIdentity>

    /// - Parameters:
    ///   - cost: The base-2 logarithm of scrypt's N, 10 to 20; each running hash takes 1 KiB times N of memory.
    ///   - pool: Started threads that do no other work; their number bounds processor time and memory.
    ///   - threads: The number of threads.
    ///   - queue: The maximum number of passwords that wait for a thread; those of the master key do not count.
    package init(cost: Int, pool: NIOThreadPool, threads: Int, queue: Int) {
        scrypt = ScryptHash(cost: cost)
        self.pool = pool
        permits = FairPermits(threads, maxWaiting: queue, exempt: .master)
    }

    /// Whether the queue is so full that a caller without requests would be refused.
    package var refusesNewCallers: Bool { permits.refusesNewKeys }

    /// How full the queue of passwords is.
    package var status: QueueStatus { permits.status }

    package func hash(_ password: Password, for caller: CallerIdentity) async throws -> PasswordHash {
        try await run(for: caller) { PasswordHash(stored: try scrypt.hash(password.revealed)) }
    }

    package func verify(
        _ password: Password,
        against hash: PasswordHash?,
        for caller: CallerIdentity
    ) async throws -> PasswordComparison {
        try await run(for: caller) {
            guard let hash else {
                _ = try scrypt.hash(password.revealed)
                return .wrong
            }
            return try comparison(password.revealed, hash.text)
        }
    }

    private func comparison(_ password: String, _ hash: String) throws -> PasswordComparison {
        if let known = ScryptHash.Stored(hash) {
            let isCurrent = known.cost == scrypt.cost
            if try known.matches(password) { return isCurrent ? .right : .rightButOutdated }
            // Other costs and kinds take a different time. Without this hash, the time would reveal which users exist.
            if !isCurrent { _ = try scrypt.hash(password) }
            return .wrong
        }
        let isRight = LeanCloudHash(hash)?.matches(password) ?? BcryptHash(hash)?.matches(password) ?? false
        guard !isRight else { return .rightButOutdated }
        _ = try scrypt.hash(password)
        return .wrong
    }

    private func run<Value: Sendable>(
        for caller: CallerIdentity,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            try await permits.take(for: caller)
        } catch is PermitsRefused {
            throw ServiceError(
                .overloaded,
                "Too many passwords are being compared (accounts.maxQueuedPasswords); try again in a second.",
                limit: "accounts.maxQueuedPasswords"
            )
        }
        defer { permits.giveBack() }
        return try await pool.runIfActive(work)
    }
}
