/// What one transaction changed, as far as a subscriber wants to know it; for stores.
///
/// A store begins one with each transaction, records what it changes, takes back what an attempt undoes, and publishes
/// it after the commit. Without subscribers for a class, recording costs one look-up and stores nothing.
package struct TransactionChanges: Sendable {
    /// What subscribers wanted when the transaction began.
    let wanted: WantedChanges
    /// The number of the newest subscriber at that time.
    let newest: Int
    /// The changes, oldest first.
    private(set) var changes: [Change] = []
    /// The caller for whom the changes that follow are made; nil for the server itself.
    package var caller: Caller?

    /// Of a transaction that only reads.
    package init() {
        self.init(WantedChanges([]), newest: 0)
    }

    init(_ wanted: WantedChanges, newest: Int) {
        self.wanted = wanted
        self.newest = newest
    }

    /// How many changes are recorded; see ``undo(to:)``.
    package var count: Int { changes.count }

    /// Whether the state of an object before a change is wanted, so that it is read only then.
    package func wantsBefore(_ kind: Change.Kind, in name: ClassName) -> Bool {
        wanted.states(of: kind, in: name)?.contains(.before) ?? false
    }

    /// Records a change if it is wanted, with the states that are wanted.
    package mutating func record(
        _ kind: Change.Kind,
        _ id: ObjectID,
        in name: ClassName,
        before: @autoclosure () -> ObjectState? = nil,
        after: @autoclosure () -> ObjectState? = nil
    ) {
        guard let states = wanted.states(of: kind, in: name) else { return }
        changes.append(
            Change(
                kind,
                id,
                in: name,
                before: states.contains(.before) ? before() : nil,
                after: states.contains(.after) ? after() : nil,
                by: caller
            )
        )
    }

    /// Takes back what was recorded since there were so many changes: the database has undone it.
    package mutating func undo(to count: Int) {
        changes.removeLast(changes.count - count)
    }
}
