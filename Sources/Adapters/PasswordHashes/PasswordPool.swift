package import Domain
package import NIOPosix

/// Hashes passwords with scrypt, and verifies the kinds that other servers made.
///
/// The threads are its own: a flood of log-ins waits for itself, and beyond a bound is refused. Callers get threads in
/// rounds, and one that floods loses its slots in the queue to those that come (``FairPermits``).
package struct PasswordPool: PasswordHasher {
    private let scrypt: ScryptHash
    private let pool: NIOThreadPool
    let permits: FairPermits<CallerIdentity>

    /// - Parameters:
    ///   - cost: The logarithm to base 2 of scrypt's N, 10 to 20; memory is 1 KiB times N for each hash at work.
    ///   - pool: Threads for nothing else, started; their number bounds processor time and memory.
    ///   - threads: How many there are.
    ///   - queue: How many passwords may wait for them; those of the master key always may.
    package init(cost: Int, pool: NIOThreadPool, threads: Int, queue: Int) {
        scrypt = ScryptHash(cost: cost)
        self.pool = pool
        permits = FairPermits(threads, maxWaiting: queue, exempt: .master)
    }

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
            // Other costs and kinds take another time: without this, time would tell which users there are.
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
                "Too many passwords are being compared (accounts.maxQueuedPasswords); try again in a second."
            )
        }
        defer { permits.giveBack() }
        return try await pool.runIfActive(work)
    }
}
