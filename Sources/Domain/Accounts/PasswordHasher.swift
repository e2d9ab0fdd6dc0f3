/// Hashes passwords slowly, on threads of its own.
///
/// Callers share the threads, so each call names its caller (``Caller/identityByAddress``): a flood of one delays the
/// others by one password at most, and the master key is never refused.
package protocol PasswordHasher: Sendable {
    /// The hash of a new password, with a salt of its own.
    ///
    /// Throws ``ServiceError/Code/overloaded`` if too many wait already, those of other callers fewer than this one's.
    func hash(_ password: Password, for caller: CallerIdentity) async throws -> PasswordHash

    /// Compares a password with a hash.
    ///
    /// Nothing, for a user that is not there, takes as long as a hash made now, waits as long for it, and is wrong.
    /// Throws ``ServiceError/Code/overloaded`` as ``hash(_:for:)`` does.
    func verify(
        _ password: Password,
        against hash: PasswordHash?,
        for caller: CallerIdentity
    ) async throws -> PasswordComparison
}

/// What comparing a password gave.
package enum PasswordComparison: Sendable {
    case wrong
    case right
    /// Right, and the hash is one of another kind or cost than new ones: time to replace it.
    case rightButOutdated
}

/// Verifies with a provider a client's claim about an account there.
package protocol AuthDataVerifier: Sendable {
    /// Throws ``ServiceError/Code/invalidAuthData`` (251) unless the provider agrees, with the union too that the data
    /// claims.
    func verify(_ data: JSONValue, of platform: String, in app: AppID) async throws
}
