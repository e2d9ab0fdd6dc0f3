/// Decides the events of changes, with rights and classes in the state of one transaction.
///
/// It stops when the transaction has lasted for ``maxTime``, or its events are large. So a transaction is short for the
/// database, events do not wait for the conditions of all others, and the memory of events is bounded.
struct LiveDecider {
    private let reader: any ReadTransaction
    private let registry: LiveRegistry
    private let settings: ObjectSettings
    private let epoch: Int
    private let began: ContinuousClock.Instant
    /// Whether a node was taken.
    private var hasBegun = false
    private var schemas: [ClassName: ClassSchema] = [:]
    /// The size of the events so far in bytes, without those whose storage others share.
    private var size = 0
    /// The decision so far.
    private var decision = LiveDecision(LiveWork([]))

    /// The time after which no further node is evaluated.
    private static let maxTime = Duration.milliseconds(50)
    /// The size of the events after which no further one is made, in bytes.
    private static let maxSize = 4 << 20
    /// The size of an event without its object.
    private static let eventSize = 128
    /// The maximum time for one node and one change, in milliseconds.
    private static let maxNodeTime = 200
    /// The processor time of a node that is evaluated also if its clients have taken all of their time, but not more than
    /// ``LiveAllowances/overdraft`` beyond it.
    private static let freeTime = Duration.microseconds(100)

    /// - Parameters:
    ///   - reader: The transaction.
    ///   - registry: The subscriptions.
    ///   - settings: The settings of objects.
    ///   - epoch: The epoch of ``SessionCache`` before the transaction began.
    ///   - began: The time at which the transaction began.
    init(
        _ reader: any ReadTransaction,
        _ registry: LiveRegistry,
        _ settings: ObjectSettings,
        foundAt epoch: Int,
        beginningAt began: ContinuousClock.Instant = .now
    ) {
        self.began = began
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

    /// Decides events of changes, in commit order.
    ///
    /// - Parameter work: The changes to decide.
    /// - Returns: The decision; call it once.
    /// - Throws: Errors of the store.
    mutating func decide(_ work: LiveWork) throws -> LiveDecision {
        var work = work
        while let change = work.change {
            if let schema = try schema(of: change.className) {
                guard decide(change, &work, schema) else { break }
            }
            work.endChange()
        }
        decision.rest = work
        return decision
    }

    /// Decides the rest of the first change; returns `false` if something of it is left.
    private mutating func decide(_ change: LiveChange, _ work: inout LiveWork, _ schema: ClassSchema) -> Bool {
        var views = LiveViews(change, in: schema, reader: reader, settings: settings)
        var rights: [LiveCallers.Key: Rights] = [:]
        while true {
            if work.match == nil { work.match = nextMatch(of: change, &work, schema) }
            guard let match = work.match else { return work.hasNoNodes }
            while let subscription = work.match?.subscriptions.popFirst() {
                do {
                    let key = subscription.caller
                    let own = try rights[key] ?? self.rights(of: key, to: change, schema)
                    rights[key] = own
                    let (before, after) = (match.before && own.before, match.after && own.after)
                    if let kind = change.event(before: before, after: after) {
                        let known = views.size
                        let event = try views.event(kind, for: subscription, own.access, isReadable: own.after)
                        decision.deliveries.append(
                            LiveDecision.Delivery(installation: subscription.installation, event: event)
                        )
                        size += views.size - known + LiveDecider.eventSize
                    }
                } catch {
                    fail(match.node, error)
                    work.match?.subscriptions = []
                }
                guard goesOn else { return false }
            }
            work.match = nil
        }
    }

    /// Whether the transaction is allowed to take longer, and its events to take more memory.
    private var goesOn: Bool {
        size < LiveDecider.maxSize && ContinuousClock.now - began < LiveDecider.maxTime
    }

    private mutating func fail(_ node: LiveNode, _ error: any Error) {
        decision.failures[ObjectIdentifier(node)] = LiveDecision.Failure(node: node, error: error)
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
        // A caller whose last subscription has just ended is a guest, who sees the least. The decision does not say so:
        // the client can subscribe again before it is delivered.
        guard let caller = registry.withState({ $0.callers[key] }) else { return Caller(app: registry.app) }
        let now = try reader.revalidated(caller, settings.accountDependencies, foundAt: epoch)
        decision.callers[key] = now
        return now
    }
}

/// The evaluation of nodes.
extension LiveDecider {
    /// The subscriptions of the next node that matches; `nil` if the change has no further one, or the time is over.
    private mutating func nextMatch(
        of change: LiveChange,
        _ work: inout LiveWork,
        _ schema: ClassSchema
    ) -> LiveWork.Match? {
        // Each transaction takes at least one node, also if its time is over before: otherwise the work might never end.
        while !hasBegun || goesOn, let node = work.nextNode() {
            hasBegun = true
            guard decision.failures[ObjectIdentifier(node)] == nil else { continue }
            let start = Duration.threadTime
            // The clients can have left since the look-up.
            let clients = registry.clients(of: node, at: change.position)
            guard !clients.isEmpty else { continue }
            do {
                let matches = try evaluate(node, change, schema, for: clients, since: start)
                guard matches.before || matches.after else { continue }
                return LiveWork.Match(
                    node: node,
                    before: matches.before,
                    after: matches.after,
                    subscriptions: registry.subscriptions(of: node, at: change.position)[...]
                )
            } catch {
                fail(node, error)
            }
        }
        return nil
    }

    /// Whether a node matches the states of a change, within the time that its clients have left.
    ///
    /// The clients pay for the processor time since `start`.
    private mutating func evaluate(
        _ node: LiveNode,
        _ change: LiveChange,
        _ schema: ClassSchema,
        for clients: Set<LiveAllowances.Key>,
        since start: Duration
    ) throws -> (before: Bool, after: Bool) {
        defer {
            let time = Duration.threadTime - start
            for client in clients { decision.times[client, default: .zero] += time / clients.count }
        }
        let left = registry.allowances.remaining(of: clients, after: decision.times)
        // Many quick evaluations take as long as some slow ones.
        guard left + LiveAllowances.overdraft > .zero else { throw SpentAllowance() }
        let milliseconds = max(1, min(LiveDecider.maxNodeTime, left.milliseconds))
        let isCut = milliseconds < LiveDecider.maxNodeTime
        let budget = QueryBudget(milliseconds: milliseconds, refusal: isCut ? SpentAllowance() : SlowCondition())
        // The budget counts all time, which bounds the delay of other events. Clients pay for processor time only, so a
        // paused process costs them nothing.
        defer {
            decision.evaluations.append(LiveDecision.Evaluation(node: node, time: Duration.threadTime - start))
        }
        let (reader, app) = (reader, registry.app)
        func matches(_ state: StoredObject?) throws -> Bool {
            guard let state else { return false }
            return try node.matches(state, in: schema, reader: reader, app: app, within: budget)
        }
        let result = try budget.counting { (before: try matches(change.before), after: try matches(change.after)) }
        // Others have waited long enough for these clients.
        if left <= .zero, Duration.threadTime - start > LiveDecider.freeTime { throw SpentAllowance() }
        return result
    }
}

/// The error for a condition whose clients have taken all of their time.
struct SpentAllowance: Error, CustomStringConvertible {
    var description: String { "The live queries of the client have used their time." }
}

/// The error for a condition that takes too long for one change.
private struct SlowCondition: Error, CustomStringConvertible {
    var description: String { "The condition takes too long for one change." }
}
