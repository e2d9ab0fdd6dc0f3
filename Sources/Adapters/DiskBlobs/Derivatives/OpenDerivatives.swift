internal import Domain
internal import Synchronization

/// A cache of open derivatives, so that frequently used ones need no system call; thread-safe.
///
/// Unlike ``BoundedCache`` it can remove all derivatives of one source, by a scan of at most ``most`` entries.
final class OpenDerivatives: Sendable {
    private let entries: Mutex<OpenEntries>

    /// The maximum number of open files, also if the setting is larger.
    ///
    /// Each deletion scans all of them, and an eviction sorts them, both under the lock that every download of a
    /// derivative takes.
    static let most = 1024

    /// - Parameter bound: The maximum number of open files, up to ``most``; 0 disables the cache.
    init(bound: Int) {
        entries = Mutex(OpenEntries(bound: min(bound, OpenDerivatives.most)))
    }

    /// The open file of a derivative; `nil` if it is not cached.
    func find(_ name: DerivativeName) -> DiskOpenDerivative? {
        entries.withLock { $0.find(name) }
    }

    /// Opens a file by the body and caches it, unless its derivative was removed while the body ran.
    func open(
        _ name: DerivativeName,
        _ body: () throws -> DiskOpenDerivative?
    ) rethrows -> DiskOpenDerivative? {
        let epoch = entries.withLock { $0.begin(name) }
        var file: DiskOpenDerivative?
        defer { change { $0.end(name, since: epoch, with: file) } }
        file = try body()
        return file
    }

    /// Removes one derivative from the cache; it stays open for its current readers.
    func remove(_ name: DerivativeName) {
        change { $0.remove(name) }
    }

    /// Removes all derivatives of a source from the cache; they stay open for their current readers.
    func remove(allOf source: String) {
        change { $0.remove(allOf: source) }
    }

    /// Removes derivatives whose files were deleted, because their disk space is freed only when they are closed.
    ///
    /// Blocks the thread: it queries the file system for each.
    func removeUnlinked() {
        let files = entries.withLock { entries in
            // A file that is being opened can have lost its name since.
            entries.outdateOpenings()
            return entries.files
        }
        // Without the lock, because every caller that opens a derivative waits for it.
        let unlinked = files.filter { !$0.file.blob.hasName() }
        change { $0.remove(unlinked) }
    }

    /// Removed files are closed after the lock is released: closing the last reference to a deleted file can be slow.
    private func change(_ body: (inout OpenEntries) -> [DiskOpenDerivative]) {
        let removed = entries.withLock { entries in body(&entries) }
        withExtendedLifetime(removed) {}
    }
}
