/// How often strangers can do what costs the server work, for each client address, user and app of the server
/// (docs/security.md, Load).
///
/// The master key has no limit. Addresses of ``Settings/exempt`` networks count only where users and apps are limited.
package struct RequestLimits: Sendable {
    /// The numbers for one minute; 0 means no limit.
    package struct Settings: Sendable {
        /// Calls of the API by clients at one address.
        package var requests = 12_000
        /// Calls of the API by one user.
        package var userRequests = 6000
        /// Calls of the API by all guests and users of one app.
        package var appRequests = 0
        /// Uploads that clients at one address begin.
        package var uploads = 6000
        /// Log-ins that clients at one address try, and passwords that they set.
        package var logIns = 300
        /// Files that clients at one address have fetched from other servers.
        package var fetches = 120
        /// Milliseconds of estimated work on images for clients at one address.
        package var imageWork = 60_000
        /// The networks whose addresses are not limited: the machine itself, whose reverse proxy can be one that is not
        /// trusted.
        ///
        /// Of IPv6 a prefix of more than 64 bits exempts its whole 64-bit network, by which clients count.
        package var exempt: [IPNetwork] = [IPNetwork(known: "127.0.0.0/8"), IPNetwork(known: "::1/128")]

        /// Creates settings with the defaults.
        package init() {}
    }

    private let exempt: [IPNetwork]
    private let requests: RateLimit<String>
    private let userRequests: RateLimit<CallerIdentity>
    private let appRequests: RateLimit<AppID>
    private let uploads: RateLimit<String>
    private let logIns: RateLimit<String>
    private let fetches: RateLimit<String>
    private let imageWork: RateLimit<String>

    /// - Parameters:
    ///   - settings: The numbers.
    ///   - clock: Returns the current time.
    package init(
        _ settings: Settings = Settings(),
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        func limit<Key>(_ count: Int, _ who: String, _ what: String, _ name: String) -> RateLimit<Key> {
            RateLimit(
                count,
                seconds: 60,
                setting: "limits.\(name)",
                refusal: "\(who) \(count) \(what), the limit for one minute",
                clock: clock
            )
        }
        let address = "Clients at this address have"
        exempt = settings.exempt.map(\.clientNetwork)
        requests = limit(settings.requests, "\(address) sent", "requests", "requests")
        userRequests = limit(settings.userRequests, "The user has sent", "requests", "userRequests")
        appRequests = limit(settings.appRequests, "The app's clients have sent", "requests", "appRequests")
        uploads = limit(settings.uploads, "\(address) begun", "uploads", "uploads")
        logIns = limit(settings.logIns, "\(address) tried", "log-ins and new passwords", "logIns")
        fetches = limit(settings.fetches, "\(address) had", "files fetched", "fetches")
        imageWork = limit(settings.imageWork, "\(address) used", "ms of work on images", "imageWork")
    }

    /// Counts a call of the API by a caller.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` naming the limit.
    package func takeRequest(by caller: Caller) throws {
        guard !caller.isMaster else { return }
        try takeRequest(from: caller.address)
        if caller.user != nil { try userRequests.take(for: caller.identity) }
        try appRequests.take(for: caller.app)
    }

    /// Throws as ``takeRequest(by:)`` would for the address of a caller, and counts nothing.
    ///
    /// - Throws: ``ServiceError/Code/overloaded``.
    package func requireRequest(by caller: Caller) throws {
        if let address = limited(caller) { try requests.require(for: address) }
    }

    /// Counts a call of the API whose caller is not known: one with wrong credentials, so that keys cannot be tried.
    ///
    /// - Parameter address: The client address; `nil` is not limited.
    /// - Throws: ``ServiceError/Code/overloaded``.
    package func takeRequest(from address: String?) throws {
        if let address = limited(address) { try requests.take(for: address) }
    }

    /// Counts an upload that begins.
    ///
    /// - Throws: ``ServiceError/Code/overloaded``.
    package func takeUpload(by caller: Caller) throws {
        if let address = limited(caller) { try uploads.take(for: address) }
    }

    /// Counts an attempt to log in, or to set a password.
    ///
    /// - Throws: ``ServiceError/Code/overloaded``.
    package func takeLogIn(by caller: Caller) throws {
        if let address = limited(caller) { try logIns.take(for: address) }
    }

    /// Counts a password that a client sets through the link of a mail.
    ///
    /// - Parameter address: The client address; empty is not limited.
    /// - Throws: ``ServiceError/Code/overloaded``.
    func takeLogIn(from address: String) throws {
        if let address = limited(address) { try logIns.take(for: address) }
    }

    /// Counts a file that is fetched from another server.
    ///
    /// - Throws: ``ServiceError/Code/overloaded``.
    package func takeFetch(by caller: Caller) throws {
        if let address = limited(caller) { try fetches.take(for: address) }
    }

    /// Counts the estimated work of an image.
    ///
    /// - Parameters:
    ///   - time: The estimated processor time.
    ///   - address: The client address; `nil` is not limited.
    /// - Throws: ``ServiceError/Code/overloaded``.
    package func takeImageWork(_ time: Duration, from address: String?) throws {
        guard let address = limited(address) else { return }
        try imageWork.take(max(1, time.milliseconds), for: address)
    }

    /// The address of a caller, if it is limited; `nil` for the master key.
    func limited(_ caller: Caller) -> String? {
        caller.isMaster ? nil : limited(caller.address)
    }

    /// The address, if it is limited; `nil` for one of the networks without limits.
    package func limited(_ address: String?) -> String? {
        guard let address, !address.isEmpty else { return nil }
        guard let parsed = IPAddress(address), exempt.contains(where: { $0.contains(parsed) }) else {
            return address
        }
        return nil
    }
}
