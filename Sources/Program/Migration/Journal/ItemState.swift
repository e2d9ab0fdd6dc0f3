/// How far one item of a migration is.
package enum ItemState: Int64, Sendable, CaseIterable {
    /// It is not done: not begun, or begun by a process that ended.
    case waiting = 0
    /// It is on the server.
    case done = 1
    /// The server, or the source, refused it; the journal has the reason.
    case failed = 2
    /// It is on the server, but its source has changed since.
    case changed = 3
}

/// The numbers of items and bytes of one kind in one state.
package struct ItemTotals: Sendable, Hashable {
    /// The number of items.
    package var count = 0
    /// The sum of their sizes in bytes, as far as they are known.
    package var bytes: Int64 = 0

    /// Creates totals.
    package init(count: Int = 0, bytes: Int64 = 0) {
        self.count = count
        self.bytes = bytes
    }

    static func + (left: ItemTotals, right: ItemTotals) -> ItemTotals {
        ItemTotals(count: left.count + right.count, bytes: left.bytes + right.bytes)
    }

    static func += (left: inout ItemTotals, right: ItemTotals) {
        left = left + right
    }
}

/// An item that failed, with its reason.
package struct FailedItem: Sendable, Hashable {
    /// The kind of item: `file`, or the name of a class.
    package let kind: String
    /// The item's name in the source: a path, a URL, an objectId.
    package let name: String
    /// Why it failed, or that its source has changed.
    package let reason: String
    /// ``ItemState/failed`` or ``ItemState/changed``.
    package let state: ItemState
}
