/// The rules for the callers of the commands in one transaction, in the state that the earlier commands have left.
///
/// An earlier command can have ended the caller's session or changed its roles. The search for the roles takes up to
/// milliseconds, in which other writers wait. It runs again only for another session, and after a change that can concern
/// callers.
struct CurrentRules {
    private struct Found {
        let rules: ObjectWriteRules
        /// See ``ReadTransaction/callerChanges``.
        let changes: Int
    }

    private let first: ObjectWriteRules
    /// Limits the time of all searches of the request.
    private let budget: QueryBudget
    /// The rules by the session of the caller.
    private var found: [ObjectID: Found] = [:]

    /// Creates the value before the first command.
    ///
    /// - Parameters:
    ///   - rules: The rules of the transaction, whose caller was looked up in it.
    ///   - budget: The budget of the request.
    init(_ rules: ObjectWriteRules, within budget: QueryBudget) {
        first = rules
        self.budget = budget
        if let user = rules.access.caller.user {
            found[user.session] = Found(rules: rules, changes: rules.writer.callerChanges)
        }
    }

    /// The rules for a caller, without its user if the session has ended.
    ///
    /// - Parameter caller: The caller of the transaction, or one with a session that a command has begun.
    /// - Returns: The rules.
    /// - Throws: ``ServiceError/Code/timedOut`` if the searches have used up the budget, and errors of the store.
    mutating func rules(for caller: Caller) throws -> ObjectWriteRules {
        guard let user = caller.user else { return first.acting(as: caller) }
        let changes = first.writer.callerChanges
        if let known = found[user.session], known.changes == changes { return known.rules }
        let now = try budget.counting {
            try first.writer.revalidated(caller, first.settings.accountDependencies)
        }
        let rules = first.acting(as: now)
        found[user.session] = Found(rules: rules, changes: changes)
        return rules
    }
}
