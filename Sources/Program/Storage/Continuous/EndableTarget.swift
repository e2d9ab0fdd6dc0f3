internal import Domain
internal import Synchronization

/// A target that stores and reads nothing more after an end, so that a long backup ends with its next call.
struct EndableTarget: BackupTarget {
    /// The end of all calls.
    final class End: Sendable {
        private let hasCome = Atomic(false)

        /// Makes later calls fail.
        func come() { hasCome.store(true, ordering: .relaxed) }

        /// Lets later calls work again.
        func lift() { hasCome.store(false, ordering: .relaxed) }

        fileprivate func check() throws(BackupTargetFailure) {
            guard hasCome.load(ordering: .relaxed) else { return }
            throw BackupTargetFailure(.unavailable, "the continuous backup ends")
        }
    }

    let target: any BackupTarget
    let end: End

    var description: String { target.description }

    @discardableResult
    func put(_ name: String, fileAt path: String) throws(BackupTargetFailure) -> Int64 {
        try end.check()
        return try target.put(name, fileAt: path)
    }

    func put(_ name: String, bytes: [UInt8]) throws(BackupTargetFailure) {
        try end.check()
        try target.put(name, bytes: bytes)
    }

    @discardableResult
    func get(_ name: String, toFileAt path: String) throws(BackupTargetFailure) -> Int64 {
        try end.check()
        return try target.get(name, toFileAt: path)
    }

    func get(_ name: String, limit: Int) throws(BackupTargetFailure) -> [UInt8]? {
        try end.check()
        return try target.get(name, limit: limit)
    }

    func list(prefix: String, after: String?, limit: Int) throws(BackupTargetFailure) -> [BackupObject] {
        try end.check()
        return try target.list(prefix: prefix, after: after, limit: limit)
    }

    /// Also after the end: a lock must be removed.
    func remove(_ names: [String]) throws(BackupTargetFailure) {
        try target.remove(names)
    }
}
