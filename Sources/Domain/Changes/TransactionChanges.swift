/// The changes of one transaction that subscribers receive; for stores.
///
/// A store creates one for each transaction, records changes in it, removes those of an attempt that is undone, and
/// publishes it after the commit. Without subscribers for a class, recording costs two look-ups and stores nothing.
package struct TransactionChanges: Sendable {
    /// The filters of the subscribers when the transaction began.
    let wanted: WantedChanges
    /// The number of the newest subscriber at that time.
    let newest: Int
    /// The changes, oldest first.
    private(set) var changes: [Change] = []
    /// The number of changes that can concern callers (``ChangeFilter/ofCallers``), with or without a subscriber.
    package private(set) var callerChanges = 0
    /// The caller of the following changes; `nil` for the server itself.
    package var caller: Caller?

    private static let ofCallers = WantedChanges(ChangeFilter.ofCallers)

    /// Creates the value of a read-only transaction.
    package init() {
        self.init(WantedChanges([]), newest: 0)
    }

    init(_ wanted: WantedChanges, newest: Int) {
        self.wanted = wanted
        self.newest = newest
    }

    /// A point in the transaction, to which ``undo(to:)`` returns.
    package struct Mark: Sendable {
        fileprivate let count: Int
        fileprivate let callerChanges: Int
    }

    /// The current point.
    package var mark: Mark { Mark(count: changes.count, callerChanges: callerChanges) }

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
        if TransactionChanges.ofCallers.states(of: kind, in: name) != nil { callerChanges += 1 }
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

    /// Removes the changes after a point, because the database has undone them.
    package mutating func undo(to mark: Mark) {
        changes.removeLast(changes.count - mark.count)
        callerChanges = mark.callerChanges
    }
}
