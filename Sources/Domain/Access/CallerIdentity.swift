/// Whose requests are counted together where callers share what is scarce.
package enum CallerIdentity: Sendable, Hashable {
    /// The master key.
    case master
    /// A user, from any address.
    case user(ObjectID)
    /// All clients at one address that are not logged in; behind a reverse proxy these are all guests.
    case guest(address: String)
}

extension Caller {
    /// Whose requests the caller's count with.
    package var identity: CallerIdentity {
        if isMaster { return .master }
        return user.map { .user($0.id) } ?? .guest(address: address)
    }
}
