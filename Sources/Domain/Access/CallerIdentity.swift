/// The identity by which requests are counted for shared resources, across all apps of the server.
package enum CallerIdentity: Sendable, Hashable {
    /// All callers with a master key.
    case master
    /// A user of an app, from any address.
    case user(ObjectID, in: AppID)
    /// All clients without a session at one address, and clients not yet authenticated; all guests behind one reverse
    /// proxy have the same address.
    case guest(address: String)
}

extension Caller {
    /// The identity by which the caller's requests are counted.
    package var identity: CallerIdentity {
        if isMaster { return .master }
        return user.map { .user($0.id, in: app) } ?? .guest(address: address)
    }

    /// The identity by which requests are counted where users do not separate clients: a client that signs up many
    /// users would get a share for each session.
    package var identityByAddress: CallerIdentity {
        isMaster ? .master : .guest(address: address)
    }
}
