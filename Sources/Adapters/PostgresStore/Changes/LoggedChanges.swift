internal import Domain

/// The changes of one transaction for the table `change_log`, in their order.
///
/// Each row has a number, and other servers publish one row after the other. So a transaction with many bytes has several
/// rows: none of them is too large to be read, and no server has to miss the changes. Beyond the size at which subscribers
/// miss the states of a transaction on the server that made it, other servers get changes without states, too.
struct LoggedChanges {
    private var list: [LoggedChange] = []
    /// The size of all of them in bytes.
    private(set) var size = 0
    /// The sizes of those with states.
    private var sizes: StateSizes

    init(maxSize: Int = TransactionChanges.maxSize) {
        sizes = StateSizes(limit: maxSize)
    }

    var count: Int { list.count }

    var isEmpty: Bool { list.isEmpty }

    mutating func append(_ change: LoggedChange) {
        let change = change.hasStates && sizes.add(change.size, of: change.className) ? change : change.withoutStates
        list.append(change)
        size += change.size
    }

    /// Removes all but the first ones.
    mutating func keepFirst(_ count: Int) {
        for change in list[count...] {
            size -= change.size
            if change.hasStates { sizes.remove(change.size, of: change.className) }
        }
        list.removeLast(list.count - count)
    }

    /// The changes of each row; a transaction that changes only schemas has one row without changes.
    var rows: [ArraySlice<LoggedChange>] {
        var rows: [ArraySlice<LoggedChange>] = []
        var (start, size) = (0, 0)
        for (index, change) in list.enumerated() {
            if index > start, size + change.size > LoggedChange.maxSize {
                rows.append(list[start..<index])
                (start, size) = (index, 0)
            }
            size += change.size
        }
        return rows + [list[start...]]
    }
}
