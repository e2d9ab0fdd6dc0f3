/// Whose requests are counted together where callers share what is scarce.
package enum CallerIdentity: Sendable, Hashable {
    /// The master key.
    case master
    /// A user, from whatever address.
    case user(ObjectID)
    /// Everyone at one address who is not logged in; behind a reverse proxy that is all guests.
    case guest(address: String)
}

extension Caller {
    /// Whose requests the caller's count with.
    package var identity: CallerIdentity {
        if isMaster { return .master }
        return user.map { .user($0.id) } ?? .guest(address: address)
    }
}
