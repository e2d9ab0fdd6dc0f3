/// Hashes passwords slowly, on its own threads.
///
/// Callers share the threads, so each call names its caller (``Caller/identityByAddress``): a flood of requests from
/// one caller delays the others by one password at most, and the master key is never refused.
package protocol PasswordHasher: Sendable {
    /// Hashes a new password with a new salt.
    ///
    /// Throws ``ServiceError/Code/overloaded`` if the queue is full and no other caller has more requests in it.
    func hash(_ password: Password, for caller: CallerIdentity) async throws -> PasswordHash

    /// Compares a password with a hash.
    ///
    /// Without a hash, as for an unknown user, the result is wrong after the same wait and the same work as with a
    /// current hash. Throws ``ServiceError/Code/overloaded`` as ``hash(_:for:)`` does.
    func verify(
        _ password: Password,
        against hash: PasswordHash?,
        for caller: CallerIdentity
    ) async throws -> PasswordComparison
}

/// The result of comparing a password with a hash.
package enum PasswordComparison: Sendable {
    case wrong
    case right
    /// The password is right, and the hash has another kind or cost than new hashes; the caller replaces it.
    case rightButOutdated
}

/// Verifies a client's claim to an account with the account's provider.
package protocol AuthDataVerifier: Sendable {
    /// Verifies the data of a platform, including its union.
    ///
    /// - Returns: The data to store in a client's place: normalized, and the same unless the provider replaces it, for
    ///   example a code by the ids that it stands for.
    /// - Throws: ``ServiceError/Code/invalidAuthData`` (251) unless the provider confirms both.
    func verify(_ data: JSONValue, of platform: String, in app: AppID) async throws -> JSONValue
}
