/// Whose share of a common limit a caller counts in, so that no group can take what another one needs.
package enum CallerGroup: Sendable, Hashable, CaseIterable {
    /// Those who know no more than the app key, which every copy of the app does.
    case guests
    /// Those who are logged in.
    case users
    /// Holders of the master key.
    case master

    init(isMaster: Bool, user: ObjectID?) {
        self = isMaster ? .master : user == nil ? .guests : .users
    }
}

extension Caller {
    /// Whose share of common limits the caller counts in.
    package var group: CallerGroup { CallerGroup(isMaster: isMaster, user: user?.id) }
}
