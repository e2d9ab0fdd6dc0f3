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
    /// The client whose subscription made the node, in whose shares of limits its memory counts.
    let owner: LiveOwner
    /// An estimate of its memory in bytes.
    let size: Int
    /// See ``lastTime``.
    private let cost = Atomic<Int>(0)
    private let condition: Condition
    /// The condition as resolved for the newest schema; a cache of what ``resolved(in:_:_:_:)`` computes.
    private let cache = Mutex<(schema: ClassSchema, condition: Condition)?>(nil)

    init(_ query: LiveQuery, isMaster: Bool, in schema: ClassSchema?, of owner: LiveOwner) {
        self.owner = owner
        size = query.size
        className = query.className
        key = Key(condition: query.conditionText, isMaster: isMaster)
        terms = LiveTerms(of: query.condition, in: schema)
        condition = query.condition
    }

    /// The microseconds of processor time that the last evaluation took; 0 before the first one.
    var lastTime: Int { cost.load(ordering: .relaxed) }

    /// Whether the last evaluation took so long that other nodes are evaluated first.
    var isSlow: Bool { lastTime >= LiveNode.slow }

    private static let slow = 1000

    /// Records how long an evaluation took.
    func note(_ time: Duration) { cost.store(max(1, time.microseconds), ordering: .relaxed) }

    /// Whether a state of an object matches.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - schema: The class.
    ///   - reader: Knows the classes.
    ///   - app: The app.
    ///   - budget: The time limit.
    /// - Returns: Whether it matches.
    /// - Throws: Errors of the budget and of the reader; ``ServiceError/Code/badRequest`` for a regular expression that
    ///   takes too many steps; ``InvalidCondition`` if a field of the condition has become a relation.
    func matches(
        _ state: StoredObject,
        in schema: ClassSchema,
        reader: any ReadTransaction,
        app: AppID,
        within budget: QueryBudget
    ) throws -> Bool {
        let condition = try resolved(in: schema, reader, app, budget)
        return try condition.matches(state, within: budget) { _, _, _ in false }
    }

    private func resolved(
        in schema: ClassSchema,
        _ reader: any ReadTransaction,
        _ app: AppID,
        _ budget: QueryBudget
    ) throws -> Condition {
        if let cached = cache.withLock({ $0 }), cached.schema == schema { return cached.condition }
        let caller = Caller(app: app, isMaster: key.isMaster)
        do {
            let resolved = try condition.resolvedForEvents(in: schema, for: caller, reader, within: budget)
            cache.withLock { $0 = (schema, resolved) }
            return resolved
        } catch let error as ServiceError where error.code == .badRequest {
            throw InvalidCondition(cause: error)
        }
    }
}

/// The error of a condition that the class no longer allows, for any object: a subscribe request fails with its cause.
struct InvalidCondition: Error {
    let cause: ServiceError
}
