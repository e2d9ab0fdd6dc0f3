package import Domain
internal import Synchronization

/// Keeps passwords as they are, so that tests are quick, and counts how often it worked.
package final class PlainHasher: PasswordHasher {
    private let works = Counter()

    package init() {}

    /// How many passwords were hashed or compared so far.
    package var work: Int { works.value }

    package func hash(_ password: Password, for caller: CallerIdentity) -> PasswordHash {
        _ = works.next()
        return PasswordHash(stored: "plain \(password.revealed)")
    }

    package func verify(
        _ password: Password,
        against hash: PasswordHash?,
        for caller: CallerIdentity
    ) -> PasswordComparison {
        _ = works.next()
        if hash?.text == "old \(password.revealed)" { return .rightButOutdated }
        return hash?.text == "plain \(password.revealed)" ? .right : .wrong
    }
}
