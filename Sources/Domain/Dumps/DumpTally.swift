internal import Crypto

/// What a dump contained: for each class the number of items of each kind, and a SHA-256 of all of them in their order.
///
/// Two dumps with equal tallies have the same objects, byte for byte.
package struct DumpTally: Sendable {
    /// The items of one class.
    package struct Entry: Sendable {
        /// The number of objects.
        package fileprivate(set) var rows = 0
        /// The number of members of relations.
        package fileprivate(set) var memberships = 0
        /// The number of counters.
        package fileprivate(set) var counters = 0
        fileprivate var hash = SHA256()

        fileprivate var isEmpty: Bool { rows + memberships + counters == 0 }
    }

    /// The classes.
    package private(set) var classes: [ClassName: Entry] = [:]
    private var name: ClassName?
    private var current = Entry()

    /// Creates the tally of a dump without items.
    package init() {}

    /// Reads a dump.
    ///
    /// - Throws: Errors of the source.
    package init(of source: any DumpSource) throws {
        var tally = DumpTally()
        try source.forEachItem { tally.add($0) }
        tally.end()
        self = tally
    }

    /// The number of objects of all classes.
    package var rows: Int { classes.values.reduce(0) { $0 + $1.rows } }

    /// Throws ``OpenFailure`` about the copy unless it has the same items.
    ///
    /// It can have further classes without items: those that the tables of every app have.
    package func requireEqual(_ copy: DumpTally) throws(OpenFailure) {
        for name in Set(classes.keys).union(copy.classes.keys).sorted() {
            guard let own = classes[name] else {
                if copy.classes[name]?.isEmpty == true { continue }
                throw OpenFailure(message: "has objects of \(name), which the original does not have")
            }
            guard let other = copy.classes[name] else { throw OpenFailure(message: "lacks the class \(name)") }
            guard own.rows == other.rows else {
                throw OpenFailure(message: "has \(other.rows) objects of \(name), the original has \(own.rows)")
            }
            guard own.hash.finalize() == other.hash.finalize() else {
                throw OpenFailure(message: "has other objects, relations or counters of \(name) than the original")
            }
        }
    }

    fileprivate mutating func add(_ item: DumpItem) {
        var bytes: [UInt8] = []
        switch item {
        case .begin(let name, let schema):
            end()
            self.name = name
            bytes.add(0, schema)
        case .row(let number, let row):
            current.rows += 1
            bytes.reserveCapacity(row.size + 80)
            bytes.add(row.acl == nil ? 1 : 2, number, row.createdAt.milliseconds, row.updatedAt.milliseconds)
            bytes.add(0, Array(row.id.description.utf8))
            bytes.add(0, row.acl ?? [])
            bytes.add(0, row.body)
        case .membership(let field, let membership):
            current.memberships += 1
            bytes.add(3, Array(field.utf8))
            bytes.add(0, Array(membership.owner.description.utf8))
            bytes.add(0, Array(membership.member.description.utf8))
        case .counter(let field, let last):
            current.counters += 1
            bytes.add(4, last)
            bytes.add(0, Array(field.utf8))
        }
        current.hash.update(data: bytes)
    }

    /// Ends the last class.
    fileprivate mutating func end() {
        if let name { classes[name] = current }
        name = nil
        current = Entry()
    }
}

/// A dump that is counted while it is read.
package final class TalliedSource: DumpSource {
    /// What was read, complete after ``forEachItem(_:)``.
    package private(set) var tally = DumpTally()
    private let source: any DumpSource

    /// Creates a source that passes on the items of another one.
    package init(_ source: any DumpSource) {
        self.source = source
    }

    /// Passes on all items of the other source.
    package func forEachItem(_ body: (DumpItem) throws -> Void) throws {
        tally = DumpTally()
        try source.forEachItem { item in
            tally.add(item)
            try body(item)
        }
        tally.end()
    }
}

extension DumpTarget {
    /// Loads a dump, reads it back, and compares both before the database is used.
    ///
    /// - Returns: What was loaded.
    /// - Throws: ``OpenFailure`` about the target, also if what it contains is not what was read; and errors of the
    ///   source.
    @discardableResult
    package func loadAll(of source: any DumpSource) throws -> DumpTally {
        try comparing(source) { try load($0, confirmedBy: $1) }
    }

    /// Changes a database to a newer dump, reads all of it back, and compares both before it is used.
    ///
    /// - Returns: What the database has.
    /// - Throws: As ``loadAll(of:)``.
    @discardableResult
    package func updateAll(to source: any DumpSource) throws -> DumpTally {
        try comparing(source) { try update(to: $0, confirmedBy: $1) }
    }

    private func comparing(
        _ source: any DumpSource,
        _ write: (any DumpSource, (any DumpSource) throws -> Void) throws -> Void
    ) throws -> DumpTally {
        let read = TalliedSource(source)
        try write(read) { try read.tally.requireEqual(DumpTally(of: $0)) }
        return read.tally
    }
}

extension [UInt8] {
    /// Appends a tag, a length and bytes.
    fileprivate mutating func add(_ tag: UInt8, _ bytes: [UInt8]) {
        add(tag, Int64(bytes.count))
        append(contentsOf: bytes)
    }

    /// Appends a tag and numbers, big end first.
    fileprivate mutating func add(_ tag: UInt8, _ numbers: Int64...) {
        append(tag)
        for number in numbers { Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) } }
    }
}
