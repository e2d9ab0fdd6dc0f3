internal import Synchronization

/// The places for drafts in memory, which bound the memory of all drafts together.
///
/// A draft without a place gets its file before its first byte is read. So while a disk does not answer, the server reads
/// no bytes of further clients.
final class DraftPlaces: Sendable {
    /// The number of bytes that a draft keeps in memory at most.
    static let draftSize = 256 << 10
    /// The places of this process, for all apps together: 32 MB of bytes before their commits.
    static let process = DraftPlaces(count: 128)

    /// One place, until the end of the value's lifetime.
    final class Place: Sendable {
        private let places: DraftPlaces

        fileprivate init(in places: DraftPlaces) {
            self.places = places
        }

        deinit {
            places.free.add(1, ordering: .relaxed)
        }
    }

    private let free: Atomic<Int>

    init(count: Int) {
        free = Atomic(count)
    }

    /// A place; `nil` if all are taken.
    func take() -> Place? {
        if free.subtract(1, ordering: .relaxed).newValue >= 0 { return Place(in: self) }
        free.add(1, ordering: .relaxed)
        return nil
    }
}
