internal import Synchronization

/// The memory of all writers of an area: bytes that are not in the bucket yet.
///
/// Beyond the limit writers send smaller segments instead of waiting, so that a slow client never blocks the others.
/// Memory is then at most the limit, and ``StagingMemory/least`` and one segment on its way for each writer.
final class StagingMemory: Sendable {
    private let limit: Int
    private let used = Atomic(0)

    /// The bytes that a writer collects in any case, because requests have a price.
    static let least = 1 << 20

    /// - Parameter limit: The limit in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether the limit is exceeded.
    var isExhausted: Bool { used.load(ordering: .relaxed) > limit }

    /// Counts bytes that a writer holds.
    func add(_ count: Int) {
        used.wrappingAdd(count, ordering: .relaxed)
    }

    /// Counts bytes that no writer holds any more.
    func remove(_ count: Int) {
        used.wrappingSubtract(count, ordering: .relaxed)
    }
}
