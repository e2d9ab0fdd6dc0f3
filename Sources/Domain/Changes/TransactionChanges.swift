/// The changes of one transaction that subscribers receive; for stores.
///
/// A store creates one for each transaction, records changes in it, removes those of an attempt that is undone, and
/// publishes it after the commit. Without subscribers for a class, recording costs one look-up and stores nothing.
package struct TransactionChanges: Sendable {
    /// The filters of the subscribers when the transaction began.
    let wanted: WantedChanges
    /// The number of the newest subscriber at that time.
    let newest: Int
    /// The changes, oldest first.
    private(set) var changes: [Change] = []
    /// The caller of the following changes; `nil` for the server itself.
    package var caller: Caller?

    /// Creates the value of a read-only transaction.
    package init() {
        self.init(WantedChanges([]), newest: 0)
    }

    init(_ wanted: WantedChanges, newest: Int) {
        self.wanted = wanted
        self.newest = newest
    }

    /// The number of recorded changes; see ``undo(to:)``.
    package var count: Int { changes.count }

    /// Whether a subscriber uses the state of an object before a change, so that it is read only then.
    package func wantsBefore(_ kind: Change.Kind, in name: ClassName) -> Bool {
        wanted.states(of: kind, in: name)?.contains(.before) ?? false
    }

    /// Records a change if a subscriber receives it, with the states that subscribers use.
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

    /// Removes the changes after the first `count`, because the database has undone them.
    package mutating func undo(to count: Int) {
        changes.removeLast(changes.count - count)
    }
}
