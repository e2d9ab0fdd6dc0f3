/// The changes of one transaction that subscribers receive; for stores.
///
/// A store creates one for each transaction, records changes in it, removes those of an attempt that is undone, and
/// publishes it after the commit. Without subscribers for a class, recording costs two look-ups and stores nothing.
/// Changes whose states find no room are recorded without them, so that no transaction takes memory without a bound.
package struct TransactionChanges: Sendable {
    /// The filters of the subscribers when the transaction began.
    let wanted: WantedChanges
    /// The number of the newest subscriber at that time.
    let newest: Int
    /// The changes, oldest first.
    private(set) var changes: [Change] = []
    /// The sizes of their states.
    private var sizes: StateSizes
    /// The size of the states in bytes beyond which they take much memory.
    private let largeSize: Int
    /// The number of changes that can concern callers (``ChangeFilter/ofCallers``), with or without a subscriber.
    package private(set) var callerChanges = 0
    /// The caller of the following changes; `nil` for the server itself.
    package var caller: Caller?

    private static let ofCallers = WantedChanges(ChangeFilter.ofCallers)
    /// The maximum size in bytes of the states of a transaction, for the classes that share it (``StateSizes``).
    package static let maxSize = 32 << 20

    /// Creates the value of a read-only transaction.
    package init() {
        self.init(WantedChanges([]), newest: 0)
    }

    init(_ wanted: WantedChanges, newest: Int, maxSize: Int = TransactionChanges.maxSize) {
        self.wanted = wanted
        self.newest = newest
        sizes = StateSizes(limit: maxSize)
        largeSize = maxSize / 4
    }

    /// A point in the transaction, to which ``undo(to:)`` returns.
    package struct Mark: Sendable {
        fileprivate let count: Int
        fileprivate let sizes: StateSizes
        fileprivate let callerChanges: Int
    }

    /// The current point.
    package var mark: Mark { Mark(count: changes.count, sizes: sizes, callerChanges: callerChanges) }

    /// The size in bytes of the states of a class that can still be recorded.
    package func room(for name: ClassName) -> Int { sizes.room(for: name) }

    /// Whether the states take so much memory that a further writer should have a transaction of its own, where its
    /// states find room.
    package var isLarge: Bool { sizes.total > largeSize }

    /// Whether a subscriber uses the state of an object before a change, so that it is read only then.
    package func wantsBefore(_ kind: Change.Kind, in name: ClassName) -> Bool {
        wanted.states(of: kind, in: name)?.contains(.before) ?? false
    }

    /// Records a change if a subscriber receives it, with the states that subscribers use and that find room.
    package mutating func record(
        _ kind: Change.Kind,
        _ id: ObjectID,
        in name: ClassName,
        before: @autoclosure () -> ObjectState? = nil,
        after: @autoclosure () -> ObjectState? = nil
    ) {
        if TransactionChanges.ofCallers.states(of: kind, in: name) != nil { callerChanges += 1 }
        guard let states = wanted.states(of: kind, in: name) else { return }
        let change = Change(
            kind,
            id,
            in: name,
            before: states.contains(.before) ? before() : nil,
            after: states.contains(.after) ? after() : nil,
            by: caller
        )
        changes.append(sizes.add(change.size, of: name) ? change : change.withoutStates)
    }

    /// Removes the changes after a point, because the database has undone them.
    package mutating func undo(to mark: Mark) {
        changes.removeLast(changes.count - mark.count)
        sizes = mark.sizes
        callerChanges = mark.callerChanges
    }
}
