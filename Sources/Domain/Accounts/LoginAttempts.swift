internal import Crypto
internal import Synchronization

/// Counts wrong passwords and locks names with too many (protocol/data 6.2); thread-safe.
///
/// The counts are in memory: a restart of the server resets them.
package final class LoginAttempts: Sendable {
    /// The times of the latest failures of one name, oldest first.
    private typealias Failures = [Timestamp]

    /// The maximum number of names stored: with the default cost, more than a client can try while the first one
    /// counts.
    private static let bound = 100_000

    private let allowed: Int
    private let milliseconds: Int64
    private let clock: @Sendable () -> Timestamp
    private let failures = Mutex(RecentEntries<String, Failures>(bound: LoginAttempts.bound))

    /// - Parameters:
    ///   - allowed: The number of failures that do not lock a name.
    ///   - seconds: How long a failure counts, and how long a lock lasts after the last failure.
    ///   - clock: Returns the current time.
    package init(allowed: Int, seconds: Int, clock: @escaping @Sendable () -> Timestamp = Timestamp.now) {
        self.allowed = allowed
        milliseconds = Int64(seconds) * 1000
        self.clock = clock
    }

    /// The key under which failures of an unknown or hidden name are counted; short for names of any length.
    package static func key(of name: AccountName, _ text: String, country: String) -> String {
        let form = name.forms(of: text, country: country).min() ?? text
        return "\(name.rawValue) \(SHA256.hash(data: Array(form.utf8)).hexadecimal)"
    }

    /// Throws ``ServiceError/Code/lockedOut`` if the name is locked; called before the password is hashed.
    package func requireOpen(_ name: String) throws {
        let now = clock()
        try failures.withLock { if isLocked($0.value(for: name) ?? [], at: now) { throw LoginAttempts.refusal } }
    }

    /// Records the result of a comparison.
    ///
    /// Parallel guesses have no advantage over sequential ones: if the name was locked during the comparison, a right
    /// password is refused like a wrong one.
    ///
    /// - Throws: ``ServiceError/Code/lockedOut``.
    package func record(_ name: String, isRight: Bool) throws {
        let now = clock()
        try failures.withLock { failures in
            var times = failures.value(for: name) ?? []
            if isLocked(times, at: now) { throw LoginAttempts.refusal }
            if isRight {
                failures.remove(name)
                return
            }
            times.append(now)
            failures.store(times.suffix(allowed + 1), for: name)
        }
    }

    /// Removes the failures of a name.
    package func forget(_ name: String) {
        failures.withLock { $0.remove(name) }
    }

    private func isLocked(_ times: Failures, at now: Timestamp) -> Bool {
        guard times.count > allowed, let first = times.first, let last = times.last else { return false }
        return last.milliseconds - first.milliseconds < milliseconds
            && now.milliseconds - last.milliseconds < milliseconds
    }

    private static let refusal = ServiceError(
        .lockedOut,
        "You have exceeded the maximum number of login attempts, please try again later, or consider resetting your "
            + "password."
    )
}

extension LoginAttempts {
    /// Subscribes to password changes in the feed: failures with the old password no longer count.
    ///
    /// If the feed lost changes, failures continue to count, and locks end with their time.
    ///
    /// - Parameters:
    ///   - changes: The feed of the app's store.
    ///   - country: The digits of the country code of phone numbers without `+` (`accounts.countryCode`).
    func follow(_ changes: ChangeFeed, country: String) {
        changes.subscribe(to: [ChangeFilter(.user, [.updated], states: [.before, .after])]) { [self] event in
            guard case .changes(let changes) = event else { return }
            for change in changes where change.isOfPassword {
                forget(change.id.description)
                let fields = (try? change.after?.object())?.fields ?? [:]
                for name in AccountName.allCases {
                    guard let text = fields[name.rawValue]?.stringValue else { continue }
                    forget(LoginAttempts.key(of: name, text, country: country))
                }
            }
        }
    }
}

extension Change {
    fileprivate var isOfPassword: Bool {
        let before = try? before?.object().fields[PasswordHash.field]
        let after = try? after?.object().fields[PasswordHash.field]
        return before != after
    }
}
