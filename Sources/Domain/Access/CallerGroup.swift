/// The group of callers in whose share of a limit a caller counts, so that no group can use up the share of another
/// one.
package enum CallerGroup: Sendable, Hashable, CaseIterable {
    /// Callers with the app key only, which every copy of the app contains.
    case guests
    /// Callers with a session.
    case users
    /// Holders of the master key.
    case master

    init(isMaster: Bool, user: ObjectID?) {
        self = isMaster ? .master : user == nil ? .guests : .users
    }
}

extension Caller {
    /// The group in whose share of limits the caller counts.
    package var group: CallerGroup { CallerGroup(isMaster: isMaster, user: user?.id) }
}
