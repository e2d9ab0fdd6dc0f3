internal import Synchronization

/// A condition that several subscriptions share; it is evaluated once for each state of an object.
final class LiveNode: Sendable {
    /// What subscriptions of one class must have in common to share a node.
    struct Key: Sendable, Hashable {
        /// The condition as canonical JSON text; ``Condition`` itself treats two spellings of `é` as equal.
        let condition: [UInt8]
        /// Whether the callers hold the master key: fields that are hidden from others are missing for others.
        let isMaster: Bool
    }

    /// The class.
    let className: ClassName
    /// The key within the class.
    let key: Key
    /// The terms by which the index finds the node; `nil` if it is tested for every change of the class.
    let terms: LiveTerms?
    private let condition: Condition
    /// The condition as resolved for the newest schema; a cache of what ``resolved(in:by:)`` computes.
    private let cache = Mutex<(schema: ClassSchema, condition: Condition)?>(nil)

    init(_ query: LiveQuery, isMaster: Bool, in schema: ClassSchema?) {
        className = query.className
        key = Key(condition: query.conditionText, isMaster: isMaster)
        terms = LiveTerms(of: query.condition, in: schema)
        condition = query.condition
    }

    /// Whether a state of an object matches.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - schema: The class.
    ///   - reader: Knows the members of relations at this moment.
    ///   - app: The app.
    ///   - budget: The time limit.
    ///   - isDeleted: Whether the object, and so its relations, do not exist any more: the state then matches if it does
    ///     for any members.
    /// - Returns: Whether it matches.
    /// - Throws: Errors of the budget and of the reader, and of a regular expression that takes too many steps.
    func matches(
        _ state: StoredObject,
        in schema: ClassSchema,
        reader: any ReadTransaction,
        app: AppID,
        within budget: QueryBudget,
        isDeleted: Bool
    ) throws -> Bool {
        let condition = try resolved(in: schema, reader, app, budget)
        guard isDeleted else {
            return try condition.matches(state, within: budget) { owner, key, members in
                let owner = owner ?? Pointer(className, state.id)
                return try reader.isRelated(owner, key, to: (members ?? [state.id])[...])
            }
        }
        var hasRelations = false
        let matchesWithout = try condition.matches(state, within: budget) { _, _, _ in
            hasRelations = true
            return false
        }
        if matchesWithout || !hasRelations { return matchesWithout }
        return try condition.matches(state, within: budget) { _, _, _ in true }
    }

    private func resolved(
        in schema: ClassSchema,
        _ reader: any ReadTransaction,
        _ app: AppID,
        _ budget: QueryBudget
    ) throws -> Condition {
        if let cached = cache.withLock({ $0 }), cached.schema == schema { return cached.condition }
        let access = ObjectAccess(caller: Caller(app: app, isMaster: key.isMaster))
        let resolver = ConditionResolver(reader: reader, access: access, budget: budget)
        let resolved = try resolver.resolve(condition, in: schema)
        cache.withLock { $0 = (schema, resolved) }
        return resolved
    }
}
