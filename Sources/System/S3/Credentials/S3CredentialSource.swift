/// Gives the credentials with which requests to an S3 store are signed.
///
/// ``S3Credentials`` are a source of themselves, for keys that do not change. Thread-safe.
package protocol S3CredentialSource: Sendable {
    /// The credentials for a request that is signed now.
    ///
    /// Blocks while the source has no valid credentials and gets some, for up to half a minute. Otherwise it returns at
    /// once.
    ///
    /// - Parameter goesOn: Called about once a second, or more often, while it blocks; after `false` the call throws
    ///   ``S3Error/Reason/stopped``.
    /// - Returns: Credentials that are valid now.
    /// - Throws: ``S3Error`` if there are none.
    func credentials(while goesOn: @escaping () -> Bool) throws(S3Error) -> S3Credentials

    /// The credentials that the source has, without blocking.
    ///
    /// - Parameter time: Seconds since 1970 until which the credentials have to be valid.
    /// - Returns: `nil` if the source has no credentials, or if they end earlier.
    func knownCredentials(validUntil time: Int64) -> S3Credentials?

    /// Discards credentials that the store has refused as ended or unknown.
    ///
    /// - Parameter refused: The credentials of the refused request.
    /// - Returns: Whether ``credentials(while:)`` can give other credentials now.
    func discard(_ refused: S3Credentials) -> Bool
}

extension S3Credentials: S3CredentialSource {
    /// These credentials.
    package func credentials(while goesOn: @escaping () -> Bool) throws(S3Error) -> S3Credentials { self }

    /// These credentials: the end of a session token that an operator has set is not known.
    package func knownCredentials(validUntil time: Int64) -> S3Credentials? { self }

    /// `false`: there are no others.
    package func discard(_ refused: S3Credentials) -> Bool { false }
}
