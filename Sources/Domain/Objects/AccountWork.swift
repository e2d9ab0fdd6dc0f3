/// The slow steps that the changes of one batch need.
///
/// They have limits, because each takes long and one batch occupies the threads or the verifier for all of them.
struct AccountWork: Sendable {
    /// The maximum number of passwords in a batch.
    private static let maxPasswords = 100
    /// The maximum number of platforms in a batch whose data a verifier confirms.
    private static let maxPlatforms = 100

    private var passwords = 0
    private var platforms = 0

    /// Counts the steps of a change of a user.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - isVerified: Whether a verifier confirms the platforms in it.
    /// - Throws: ``ServiceError/Code/badRequest`` if the batch sets more passwords or has more platforms than the limit.
    mutating func count(_ change: ObjectChange, verifying isVerified: Bool) throws {
        let fields = change.fields
        if fields.contains("password") { passwords += 1 }
        guard passwords <= AccountWork.maxPasswords else {
            throw ServiceError(
                .badRequest,
                "The batch sets more than \(AccountWork.maxPasswords) passwords, the limit."
            )
        }
        guard isVerified, fields.contains(AuthData.field) else { return }
        var rest = change
        // A malformed change is refused before the verifier is called.
        platforms += (try? AccountChange(taking: &rest).claimed.count) ?? 0
        guard platforms <= AccountWork.maxPlatforms else {
            throw ServiceError(
                .badRequest,
                "The batch has more than \(AccountWork.maxPlatforms) platforms in authData, the limit with a verifier "
                    + "(accounts.authDataVerifier)."
            )
        }
    }
}
