internal import Synchronization

/// The apps whose files are found by the same paths, because one server has them all.
///
/// Keys are random but for those that a client or the holder of a master key chose; such a one must not take the place of
/// another app's file.
package final class KeyNeighbours: Sendable {
    private let apps = Mutex<[AppID: FileRecords]>([:])

    /// Knows no app yet.
    package init() {}

    func add(_ app: AppID, _ files: FileRecords) {
        apps.withLock { $0[app] = files }
    }

    func have(_ key: FileKey, besides app: AppID) async throws -> Bool {
        for (other, files) in apps.withLock(\.self) where other != app {
            if try await files.file(key: key) != nil { return true }
        }
        return false
    }
}
