/// The events of several changes, decided in one transaction.
struct LiveDecision: Sendable {
    /// An event and the installation that gets it.
    struct Delivery: Sendable {
        let installation: InstallationID
        let event: LiveEvent
    }

    /// A node that could not be evaluated.
    struct Failure: Sendable {
        let node: LiveNode
        let error: any Error
    }

    /// The events in the order of the changes.
    fileprivate(set) var deliveries: [Delivery] = []
    /// The nodes that could not be evaluated.
    fileprivate(set) var failures: [ObjectIdentifier: Failure] = [:]
    /// The callers as they were looked up.
    fileprivate(set) var callers: [LiveCallers.Key: Caller] = [:]
}

/// Decides the events of changes, with rights and classes in the state of one transaction.
struct LiveDecider {
    private let reader: any ReadTransaction
    private let registry: LiveRegistry
    private let settings: ObjectSettings
    private let epoch: Int
    private var schemas: [ClassName: ClassSchema] = [:]
    /// The events so far.
    private(set) var decision = LiveDecision()

    /// The maximum time for one node and one change, in milliseconds.
    private static let maxTime = 200

    /// - Parameters:
    ///   - reader: The transaction.
    ///   - registry: The subscriptions.
    ///   - settings: The settings of objects.
    ///   - epoch: The epoch of ``SessionCache`` before the transaction began.
    init(_ reader: any ReadTransaction, _ registry: LiveRegistry, _ settings: ObjectSettings, foundAt epoch: Int) {
        self.reader = reader
        self.registry = registry
        self.settings = settings
        self.epoch = epoch
    }

    /// What a caller is allowed to find of a change.
    private struct Rights {
        let access: ObjectAccess
        let before: Bool
        let after: Bool
    }

    /// Decides the events of one change; call it in commit order.
    ///
    /// - Throws: Errors of the store.
    mutating func decide(_ change: LiveChange) throws {
        guard let schema = try schema(of: change.className) else { return }
        var views = LiveViews(change, in: schema, reader: reader, settings: settings)
        var rights: [LiveCallers.Key: Rights] = [:]
        for node in change.nodes where decision.failures[ObjectIdentifier(node)] == nil {
            do {
                let matches = try matches(of: node, change, schema)
                guard matches.before || matches.after else { continue }
                for subscription in registry.subscriptions(of: node, at: change.position) {
                    let key = subscription.caller
                    let own = try rights[key] ?? self.rights(of: key, to: change, schema)
                    rights[key] = own
                    guard
                        let kind = change.event(
                            before: matches.before && own.before,
                            after: matches.after && own.after
                        )
                    else { continue }
                    decision.deliveries.append(
                        LiveDecision.Delivery(
                            installation: subscription.installation,
                            event: try views.event(kind, for: subscription, own.access, isReadable: own.after)
                        )
                    )
                }
            } catch {
                decision.failures[ObjectIdentifier(node)] = LiveDecision.Failure(node: node, error: error)
            }
        }
    }

    private mutating func schema(of name: ClassName) throws -> ClassSchema? {
        if let known = schemas[name] { return known }
        let schema = try reader.schema(of: name)
        schemas[name] = schema
        return schema
    }

    private mutating func rights(
        of key: LiveCallers.Key,
        to change: LiveChange,
        _ schema: ClassSchema
    ) throws -> Rights {
        let access = ObjectAccess(caller: try caller(key))
        return Rights(
            access: access,
            before: change.before.map { access.canFind($0, in: schema) } ?? false,
            after: change.after.map { access.canFind($0, in: schema) } ?? false
        )
    }

    /// The caller in the state of the transaction.
    private mutating func caller(_ key: LiveCallers.Key) throws -> Caller {
        if let known = decision.callers[key] { return known }
        // A caller whose last subscription has just ended is a guest, who sees the least.
        let caller = registry.withState { $0.callers[key] } ?? Caller(app: registry.app)
        let now = try reader.revalidated(caller, settings.accountDependencies, foundAt: epoch)
        decision.callers[key] = now
        return now
    }

    private func matches(
        of node: LiveNode,
        _ change: LiveChange,
        _ schema: ClassSchema
    ) throws -> (before: Bool, after: Bool) {
        let budget = QueryBudget(milliseconds: LiveDecider.maxTime, refusal: SlowLiveQuery())
        return try budget.counting {
            func matches(_ state: StoredObject?) throws -> Bool {
                guard let state else { return false }
                return try node.matches(
                    state,
                    in: schema,
                    reader: reader,
                    app: registry.app,
                    within: budget,
                    isDeleted: change.kind == .deleted
                )
            }
            return (try matches(change.before), try matches(change.after))
        }
    }
}

/// The error for a condition that takes too long for one change.
private struct SlowLiveQuery: Error, CustomStringConvertible {
    var description: String { "The condition takes too long for one change." }
}
