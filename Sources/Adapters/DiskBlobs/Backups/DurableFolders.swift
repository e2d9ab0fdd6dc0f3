internal import Synchronization

/// The folders whose own names this process has synced to the disk.
///
/// A folder that is there can be that of a process that was killed before it synced the name, so each process syncs each
/// folder's name once.
final class DurableFolders: Sendable {
    private let paths = Mutex<Set<String>>([])

    /// Syncs the names of a folder and of those above it, up to those in a root, which were not synced before.
    func synchronizeNames(from folder: String, to root: String) throws {
        var folder = folder
        while folder != root, !paths.withLock({ $0.contains(folder) }), let slash = folder.lastIndex(of: "/") {
            let above = String(folder[..<slash])
            try synchronizeFolder(above)
            paths.withLock { _ = $0.insert(folder) }
            folder = above
        }
    }

    /// Forgets a folder that was created anew or removed.
    func forget(_ folder: String) {
        paths.withLock { _ = $0.remove(folder) }
    }
}
