internal import Logging
internal import Synchronization

/// Makes events of changes and hands them to the connections.
///
/// One task calls it. A change without candidates in the index costs no transaction.
final class LiveMatcher: Sendable {
    private let store: any ObjectStore
    private let settings: ObjectSettings
    private let registry: LiveRegistry
    private let rows: LiveRows?
    private let counts = Mutex((events: 0, losses: 0))
    private let log: LossLog

    /// The maximum number of changes whose objects are parsed at the same time.
    private static let chunk = 16
    /// The size of changes after which no further one is parsed with them, in bytes of JSON.
    private static let chunkSize = 1 << 20

    init(store: any ObjectStore, settings: ObjectSettings, registry: LiveRegistry, rows: LiveRows?, logger: Logger) {
        self.rows = rows
        self.store = store
        self.settings = settings
        self.registry = registry
        log = LossLog(app: registry.app, logger: logger, clock: registry.clock)
    }

    /// The numbers of events sent and of connections that had to come back, so far.
    var totals: (events: Int, losses: Int) { counts.withLock { $0 } }

    /// Makes the events of what a buffer returned.
    ///
    /// - Parameters:
    ///   - event: The event of the buffer.
    ///   - position: The position in the buffer after it.
    func handle(_ event: ChangeFeed.Event, endingAt position: Int) async {
        switch event {
        case .missed:
            lose("Changes were dropped before they were compared with live queries", nil) { state in
                // On a shared store new rows can be among them, of installations without any.
                guard state.isShared else { return Set(state.subscriptions.values.lazy.map(\.installation)) }
                return Set(state.installations.lazy.filter(\.value.isLoaded).map(\.key))
            }
        case .changes(let changes):
            var rest = changes[...]
            while !rest.isEmpty, !Task.isCancelled {
                let start = position - rest.count
                var part = LiveMatcher.first(of: rest)
                if let rows, let first = part.first {
                    // A row changes which subscriptions the changes after it are compared with.
                    if first.className == .liveQuery { await apply(first, of: rows, at: start + 1) }
                    let end = part.dropFirst().firstIndex { $0.className == .liveQuery }
                    if let end { part = part[..<end] }
                }
                await handle(part, at: start)
                rest = rest.dropFirst(part.count)
            }
        }
        registry.handled(position)
    }

    /// The first changes that are handled together.
    private static func first(of changes: ArraySlice<Change>) -> ArraySlice<Change> {
        var size = 0
        return changes.prefix(chunk).prefix { change in
            defer { size += change.size }
            return size == 0 || size + change.size <= chunkSize
        }
    }

    private func apply(_ change: Change, of rows: LiveRows, at position: Int) async {
        do {
            try await rows.apply(change, at: position)
        } catch {
            guard !Task.isCancelled else { return }
            let installation = try? change.after?.object().fields["installation"]?.stringValue
            let id = installation.flatMap { InstallationID($0) }
            lose("A live query could not be taken over from another server", error) { _ in id.map { [$0] } ?? [] }
        }
    }

    private func handle(_ changes: ArraySlice<Change>, at start: Int) async {
        do {
            let users = try await users(loggingIn: changes)
            let found = try candidates(of: changes, at: start, users)
            guard !found.isEmpty else { return }
            var work = LiveWork(found)
            while work.change != nil {
                try Task.checkCancellation()
                // Read before the snapshot, because endings after the snapshot must invalidate the result.
                let epoch = settings.accountDependencies.sessionCache.epoch
                let decision = try await store.read { [registry, settings, work] reader in
                    var decider = LiveDecider(reader, registry, settings, foundAt: epoch)
                    return try decider.decide(work)
                }
                await deliver(decision)
                work = decision.rest
            }
        } catch {
            guard !Task.isCancelled else { return }
            let classes = Set(changes.map { $0.className == .session ? .user : $0.className })
            lose("Changes could not be compared with live queries", error) { state in
                Set(classes.flatMap { state.classes[$0]?.installations ?? [] })
            }
        }
    }

    /// The users of new sessions as they are now; empty unless users are subscribed.
    private func users(loggingIn changes: ArraySlice<Change>) async throws -> [ObjectID: StoredObject] {
        let ids = Set(changes.compactMap(\.sessionUser))
        guard !ids.isEmpty, registry.follows(.user) else { return [:] }
        return try await store.read { reader in
            var users: [ObjectID: StoredObject] = [:]
            for id in ids { users[id] = try reader.object(id, in: .user) }
            return users
        }
    }

    /// The changes that can concern live queries.
    private func candidates(
        of changes: ArraySlice<Change>,
        at start: Int,
        _ users: [ObjectID: StoredObject]
    ) throws -> [LiveChange] {
        var found: [LiveChange] = []
        for (position, change) in zip(start..., changes) {
            try Task.checkCancellation()
            // The states are parsed only for classes with live queries, and outside of the lock.
            if registry.follows(change.className) {
                let change = try LiveChange(change, at: position)
                if let change = try registry.finding(change) { found.append(change) }
            }
            if let user = change.sessionUser.flatMap({ users[$0] }),
                let change = try registry.finding(LiveChange(logIn: user, at: position))
            {
                found.append(change)
            }
        }
        return found
    }

    private func deliver(_ decision: LiveDecision) async {
        for evaluation in decision.evaluations { evaluation.node.note(evaluation.time) }
        registry.allowances.take(decision.times)
        let sent = registry.deliver(decision)
        counts.withLock { $0.events += sent }
        for failure in decision.failures.values { await end(failure) }
    }

    /// Sends the clients of a node away whose events are lost; ends its subscriptions if its condition is the reason.
    ///
    /// The time and the steps of an evaluation depend on the object: a subscription with such a condition goes on, and
    /// ``LiveAllowances`` bounds the time that it takes.
    private func end(_ failure: LiveDecision.Failure) async {
        let node = failure.node
        guard let invalid = failure.error as? InvalidCondition else {
            return lose("A live query could not be evaluated", failure.error) { state in
                Set(state.classes[node.className]?.subscriptions(of: node).map(\.installation) ?? [])
            }
        }
        let ended = registry.end(node)
        // Before the clients come back to another server.
        await rows?.end(ended)
        lose("A live query has ended: the class no longer allows its condition", invalid.cause) { _ in
            Set(ended.map(\.installation))
        }
    }

    private func lose(
        _ message: Logger.Message,
        _ error: (any Error)?,
        _ choose: (LiveRegistry.State) -> Set<InstallationID>
    ) {
        let count = registry.sendAway(choose)
        counts.withLock { $0.losses += count }
        if count > 0 { log.note(message, error, connections: count) }
    }
}
