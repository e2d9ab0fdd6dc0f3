package import Domain
internal import Synchronization

/// A password hasher that stores passwords in plain text, so that tests are quick, and counts its calls.
package final class PlainHasher: PasswordHasher {
    private let works = Counter()

    package init() {}

    /// The number of passwords that were hashed or compared so far.
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
