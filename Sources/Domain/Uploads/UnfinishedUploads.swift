internal import Synchronization

/// Ids of uploads that are to be finished later.
final class UnfinishedUploads: Sendable {
    private let ids = Mutex<Set<ObjectID>>([])

    func insert(_ id: ObjectID) {
        ids.withLock { _ = $0.insert(id) }
    }

    /// All of them, which are forgotten then.
    func takeAll() -> Set<ObjectID> {
        ids.withLock { ids in
            defer { ids = [] }
            return ids
        }
    }
}
