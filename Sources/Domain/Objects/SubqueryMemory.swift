internal import Synchronization

/// Counts the memory of the values that sub-queries have left.
///
/// A client chooses how many there are and how large they are, and a parsed value takes up to forty times its text. So
/// those of a `where` count together, and those of all conditions that a request keeps at the same time. Thread-safe.
final class SubqueryMemory: Sendable {
    private let count = Mutex(0)

    /// The maximum in bytes: more than a reply has, and less than would matter for many requests at the same time.
    static let limit = 8 << 20

    /// The bytes so far.
    var bytes: Int { count.withLock { $0 } }

    /// Adds a value, with its places in the list and in the hash table of a ``ValueSet``.
    func add(_ value: JSONValue) throws {
        try add(value.memory + 96)
    }

    /// Throws ``ServiceError/Code/malformedJSON`` if the bytes exceed the limit together with those before.
    func add(_ bytes: Int) throws {
        let sum = count.withLock { count in
            count += bytes
            return count
        }
        guard sum <= SubqueryMemory.limit else { throw SubqueryMemory.refusal }
    }

    static let refusal = ServiceError(
        .malformedJSON,
        "where: the values that sub-queries find take more than \(SubqueryMemory.limit >> 20) MB of memory, the limit."
    )
}
