internal import Synchronization

/// The ids of uploads to finish later.
final class UnfinishedUploads: Sendable {
    private let ids = Mutex<Set<ObjectID>>([])

    func insert(_ id: ObjectID) {
        ids.withLock { _ = $0.insert(id) }
    }

    /// Removes and returns all ids.
    func takeAll() -> Set<ObjectID> {
        ids.withLock { ids in
            defer { ids = [] }
            return ids
        }
    }
}
