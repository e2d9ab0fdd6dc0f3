internal import Dispatch
internal import Glibc
internal import Synchronization

/// Temporary credentials for a web identity token, renewed before they end.
///
/// They are exchanged at the first request, and again in the last five minutes of their life, on a thread of the source:
/// while credentials are valid, no request waits, and a failure of the exchange is only tried again, after 10 seconds.
/// Without valid credentials one caller makes the exchange and the others wait for it. Their life is measured with the
/// monotonic clock, from the moment at which they arrive. Thread-safe.
package final class WebIdentitySource: S3CredentialSource {
    private let identity: WebIdentity
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(CredentialState())
    /// The thread of renewals before the end.
    private let queue = DispatchQueue(label: "lcfile.s3.credentials")

    /// Creates a source; sends no request.
    ///
    /// - Parameters:
    ///   - identity: What is exchanged, and where.
    ///   - now: Returns the current time; tests can change it.
    package init(_ identity: WebIdentity, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.identity = identity
        self.now = now
    }

    /// The credentials for a request that is signed now.
    ///
    /// - Throws: ``S3Error`` if there are none: ``S3Error/Reason/unavailable`` if the security token service does not
    ///   answer or fails, ``S3Error/Reason/refused`` if it refuses the token, ``S3Error/Reason/local`` if the file with
    ///   the token cannot be read. No message has the token or a key.
    package func credentials(while goesOn: @escaping () -> Bool) throws(S3Error) -> S3Credentials {
        while true {
            let now = now()
            switch state.withLock({ $0.step(at: now) }) {
            case .use(let credentials): return credentials
            case .useAndRenew(let credentials):
                queue.async { [self] in try? renew(while: { true }) }
                return credentials
            case .renew: try renew(while: goesOn)
            case .wait:
                guard goesOn() else { throw S3Exchange.stopped }
                usleep(10_000)
            case .fail(let error): throw error
            }
        }
    }

    /// Whether a thread makes an exchange now, or has not stored its result yet; for tests.
    var isRenewing: Bool { state.withLock(\.isRenewing) }

    package func knownCredentials(validUntil time: Int64) -> S3Credentials? {
        let end = now() + .seconds(time - S3Client.now())
        return state.withLock { $0.known(until: end) }
    }

    package func discard(_ refused: S3Credentials) -> Bool {
        let now = now()
        return state.withLock { $0.discard(refused, at: now) }
    }

    /// Exchanges the token and stores the result, also that of a failure.
    private func renew(while goesOn: @escaping () -> Bool) throws(S3Error) {
        do throws(S3Error) {
            let (credentials, end) = try WebIdentityExchange(identity, goesOn: goesOn).perform()
            let life = end - S3Client.now()
            guard life > 0 else {
                let text = "the credentials of \(identity.endpoint) ended \(-life) seconds ago by this machine's clock"
                throw S3Error(.clock, text)
            }
            let now = now()
            state.withLock { $0.store(credentials, life: life, at: now) }
        } catch {
            let now = now()
            state.withLock { $0.fail(error, at: now) }
            throw error
        }
    }
}
