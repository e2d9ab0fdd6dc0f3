/// A filled database of an app, in the transaction that changes its items to those of a newer dump.
///
/// Every call blocks. The calls for items are for the class that was begun last.
package protocol DeltaTarget {
    /// Begins a class with the schema of the dump; creates it if it is missing.
    mutating func begin(_ name: ClassName, schema: [UInt8]) throws

    /// The next item that the class had before the transaction, in the order of a dump.
    ///
    /// - Returns: `nil` after the last one, and for a class that was created.
    mutating func next() throws -> DumpItem?

    /// Removes the item that ``next()`` returned last.
    mutating func remove(_ item: DumpItem) throws

    /// Adds an item; a former one in its place was removed before.
    ///
    /// Until ``end()`` a row need not be in its table, because the values of a unique index can be exchanged between rows.
    mutating func add(_ item: DumpItem) throws

    /// Ends the class, after ``next()`` returned `nil`.
    mutating func end() throws
}

/// Compares the items of a newer dump with those of a database, and changes only what differs.
///
/// Both come in the same order, so they are read once, side by side; the memory does not grow with their number. Classes
/// that the dump does not have stay: an app's classes are never removed.
package struct DumpDelta<Target: DeltaTarget> {
    private var target: Target
    /// The next former item that is not compared yet.
    private var former: DumpItem?
    private var isInClass = false

    /// Creates a comparison with the classes of a database.
    package init(_ target: Target) {
        self.target = target
    }

    /// Compares the next item of the dump.
    ///
    /// - Throws: Errors of the target.
    package mutating func add(_ item: DumpItem) throws {
        if case .begin(let name, let schema) = item {
            try end()
            try target.begin(name, schema: schema)
            isInClass = true
            former = try target.next()
            return
        }
        while let former, former.precedes(item) { try removeFormer(former) }
        guard let former, !item.precedes(former) else { return try target.add(item) }
        if former.hasContent(of: item) {
            self.former = try target.next()
        } else {
            try removeFormer(former)
            try target.add(item)
        }
    }

    /// Ends the last class; called after the last item.
    package mutating func end() throws {
        guard isInClass else { return }
        while let former { try removeFormer(former) }
        try target.end()
        isInClass = false
    }

    private mutating func removeFormer(_ item: DumpItem) throws {
        try target.remove(item)
        former = try target.next()
    }
}

extension DumpItem {
    /// Whether it comes before another item of the same class.
    fileprivate func precedes(_ other: DumpItem) -> Bool {
        switch (self, other) {
        case (.row(let own, _), .row(let other, _)): own < other
        case (.membership(let own, let membership), .membership(let other, let otherMembership)):
            // By bytes, as engines sort.
            own.utf8.elementsEqual(other.utf8)
                ? membership < otherMembership : own.utf8.lexicographicallyPrecedes(other.utf8)
        case (.counter(let own, _), .counter(let other, _)): own.utf8.lexicographicallyPrecedes(other.utf8)
        default: kind < other.kind
        }
    }

    /// The place of its kind in a class.
    private var kind: Int {
        switch self {
        case .begin: 0
        case .row: 1
        case .membership: 2
        case .counter: 3
        }
    }

    /// Whether it is the same as another item in the same place.
    fileprivate func hasContent(of other: DumpItem) -> Bool {
        switch (self, other) {
        case (.row(_, let own), .row(_, let other)):
            own.id == other.id && own.createdAt == other.createdAt && own.updatedAt == other.updatedAt
                && own.acl == other.acl && own.body == other.body
        case (.counter(_, let own), .counter(_, let other)): own == other
        default: true
        }
    }
}
