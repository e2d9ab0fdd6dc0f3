package import Domain
internal import Glibc

/// Checks that the storage folder accepts new data: writes a block to a new file, and reads the free space.
///
/// The block is not synced, because a sync each second would cost more than it tells: errors of syncs are those of
/// requests, which ``StorageHealth`` knows.
package struct StorageProbe: Sendable {
    private let folder: String
    private let minFree: Int64

    /// The name of the file, for a moment.
    private static let name = ".probe"
    /// The size of the written block in bytes; a file system allocates space for it.
    private static let block = 4096

    /// - Parameters:
    ///   - storage: The folder, locked for this process.
    ///   - minFree: The minimum free space in bytes, at most a sixteenth of the file system; 0 for none.
    package init(in storage: borrowing StorageFolder, minFree: Int64) {
        folder = storage.path
        self.minFree = minFree
    }

    /// Writes a block and reads the free space; blocks.
    package func check() -> Set<Readiness.Obstacle> {
        var obstacles: Set<Readiness.Obstacle> = []
        if let number = writingFailure() { obstacles.insert(StorageProbe.obstacle(number)) }
        guard let space = FileSystemSpace(of: folder) else { return obstacles.union([.storageFailing]) }
        if space.free < min(minFree, space.total / StorageReserve.largestPart) { obstacles.insert(.spaceLow) }
        return obstacles
    }

    private static func obstacle(_ number: CInt) -> Readiness.Obstacle {
        switch number {
        case ENOSPC, EDQUOT: .storageFull
        case EROFS: .storageReadOnly
        default: .storageFailing
        }
    }

    /// The error number of the first system call that failed; `nil` if the block was written.
    private func writingFailure() -> CInt? {
        let path = "\(folder)/\(StorageProbe.name)"
        let file = FileBytes.open(path, O_WRONLY | O_CREAT | O_NOFOLLOW)
        guard file >= 0 else { return errno }
        defer { close(file) }
        // It exists only while it is open; one that a killed server left is taken again.
        unlink(path)
        let bytes = [UInt8](repeating: 0, count: StorageProbe.block)
        let written = uninterrupted { write(file, bytes, bytes.count) }
        if written == bytes.count { return nil }
        // A part of a block is written only if there is no space for the rest.
        return written < 0 ? errno : ENOSPC
    }
}
