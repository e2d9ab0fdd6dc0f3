/// The identity by which requests are counted for shared resources, across all apps of the server.
package enum CallerIdentity: Sendable, Hashable {
    /// The master keys.
    case master
    /// A user of an app, from any address.
    case user(ObjectID, in: AppID)
    /// All clients at one address without a session, or that are not authenticated yet; behind a reverse proxy these
    /// are all guests.
    case guest(address: String)
}

extension Caller {
    /// The identity with which the caller's requests count.
    package var identity: CallerIdentity {
        if isMaster { return .master }
        return user.map { .user($0.id, in: app) } ?? .guest(address: address)
    }

    /// Whose requests the caller's count with where users are no use to tell clients apart: a client that signs up many
    /// users would have a share for each of their sessions.
    package var identityByAddress: CallerIdentity {
        isMaster ? .master : .guest(address: address)
    }
}
