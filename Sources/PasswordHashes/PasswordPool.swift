package import Domain
package import NIOPosix

/// Hashes passwords with scrypt, and verifies the kinds that other servers made.
///
/// The threads are its own: a flood of log-ins waits for itself, and beyond a bound is refused.
package struct PasswordPool: PasswordHasher {
    private let scrypt: ScryptHash
    private let pool: NIOThreadPool
    private let admission: Admission

    /// - Parameters:
    ///   - cost: The logarithm to base 2 of scrypt's N, 10 to 20; memory is 1 KiB times N for each hash at work.
    ///   - pool: Threads for nothing else, started; their number bounds processor time and memory.
    ///   - limit: How many passwords are hashed and wait together.
    package init(cost: Int, pool: NIOThreadPool, limit: Int) {
        scrypt = ScryptHash(cost: cost)
        self.pool = pool
        admission = Admission(
            limit: limit,
            refusal: "Too many passwords are being compared; try again in a second."
        )
    }

    package func hash(_ password: Password) async throws -> PasswordHash {
        try await run { PasswordHash(stored: try scrypt.hash(password.revealed)) }
    }

    package func verify(_ password: Password, against hash: PasswordHash?) async throws -> PasswordVerdict {
        try await run {
            guard let hash else {
                _ = try scrypt.hash(password.revealed)
                return .wrong
            }
            return try verdict(password.revealed, hash.text)
        }
    }

    private func verdict(_ password: String, _ hash: String) throws -> PasswordVerdict {
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

    private func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await admission.run { try await pool.runIfActive(work) }
    }
}
