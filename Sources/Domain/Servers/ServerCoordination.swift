/// What the servers of one shared store agree on: who does which work, who creates the file of a key, and whether a
/// server knows who may do what.
///
/// All times are measured by one clock, that of the store, so that the clocks of servers do not matter.
package protocol ServerCoordination: Sendable {
    /// Takes or renews leases that are free, over, or the holder's own.
    ///
    /// A lease lasts from a moment after the call began, so a holder that counts from before its call never believes
    /// longer than the others that it has the lease.
    ///
    /// - Parameters:
    ///   - jobs: The leases.
    ///   - holder: The random name of a server that was started once.
    ///   - time: How long they last.
    /// - Returns: Those that the holder has now.
    /// - Throws: Errors of the store; the holder can have the leases nevertheless.
    func take(_ jobs: Set<LeasedJob>, for holder: String, lasting time: Duration) async throws -> Set<LeasedJob>

    /// Ends leases of a holder, so that another server gets them at once; those of others stay.
    func release(_ jobs: Set<LeasedJob>, of holder: String) async throws

    /// Waits until no other server has locked one of these names, and locks all of them.
    ///
    /// Callers of one server exclude each other before they call. A lock ends with the server, and if the store loses
    /// the server.
    ///
    /// - Parameters:
    ///   - names: The names; different ones.
    ///   - scope: Whose names they are.
    /// - Throws: ``ServiceError/Code/overloaded`` after half a minute; errors of the store; `CancellationError`. No
    ///   name is locked then.
    func lock(_ names: [String], _ scope: LockScope) async throws

    /// Ends locks of this server, also in a cancelled task.
    func unlock(_ names: [String], _ scope: LockScope) async

    /// Whether subscribers know every change that concerns callers (``ChangeFilter/ofCallers``) and was committed before
    /// the call.
    ///
    /// The store asks its database, and publishes what is new before this returns.
    ///
    /// - Returns: `false` if the last of these changes is committed and its publication is still under way: a cache of
    ///   callers cannot be used for this request.
    /// - Throws: An error if the database does not answer: then no cache of callers can be used.
    func hasPublishedCallers() async throws -> Bool
}

/// Whose names ``ServerCoordination/lock(_:_:)`` locks.
package enum LockScope: Sendable, CaseIterable {
    /// Those of one app.
    case app
    /// Those of all apps in one database.
    case allApps
}

extension ServerCoordination {
    /// Runs a body while no other server runs one with one of these names.
    func locking<Result>(
        _ names: [String],
        _ scope: LockScope,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await lock(names, scope)
        do {
            let result = try await body()
            await unlock(names, scope)
            return result
        } catch {
            await unlock(names, scope)
            throw error
        }
    }
}
