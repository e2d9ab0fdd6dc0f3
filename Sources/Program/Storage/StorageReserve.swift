package import Domain
internal import Glibc
internal import Synchronization

/// A reserve of disk space in the storage folder, the file `.reserve`, for the moment when the disk is full.
///
/// SQLite has to write before it can delete. So when the disk is full the file is emptied, and while it is empty,
/// requests that add data are refused: the space goes to deletions, log-outs and checkpoints. It is filled again as
/// soon as there is space for it and half as much more, so that the state does not change with every request.
package final class StorageReserve: StorageInspector {
    private let folder: String
    private let file: CInt
    /// The size in bytes; with 0 there is no reserve and no request is refused.
    private let size: Int64
    private let isHeld: Mutex<Bool>
    /// The file that is locked; another one at its path means that the folder was replaced.
    private let lockedFile: (device: UInt, inode: UInt)?

    static let name = ".reserve"
    /// The maximum part of the file system, as a divisor, so that the reserve does not use up a small one.
    static let largestPart: Int64 = 16
    /// The free space in bytes below which a storage without a reserve counts as full.
    private static let least: Int64 = 1 << 20

    /// Allocates the reserve if there is space for all of it.
    ///
    /// - Parameters:
    ///   - storage: The folder, locked for this process.
    ///   - size: The size in bytes, at most a sixteenth of the file system; 0 disables the reserve.
    /// - Throws: ``ExitError`` if the file cannot be opened.
    package init(in storage: borrowing StorageFolder, size: Int64) throws {
        folder = storage.path
        lockedFile = storage.lockedFile
        let space = FileSystemSpace(of: storage.path)
        let block: Int64 = 4096
        self.size = min(size, (space?.total ?? 0) / StorageReserve.largestPart) / block * block
        file = try storage.open(StorageReserve.name)
        isHeld = Mutex(false)
        // A file of this size always has all of its blocks.
        if self.size > 0, lseek(file, 0, SEEK_END) >= off_t(self.size) {
            ftruncate(file, off_t(self.size))
            isHeld.withLock { $0 = true }
        } else {
            ftruncate(file, 0)
        }
    }

    deinit {
        close(file)
    }

    /// Checks the file system, and empties or fills the reserve.
    package func inspect(suspecting suspicion: StorageFault?) -> StorageCondition {
        var condition = StorageCondition()
        inspectLock(&condition)
        guard let space = FileSystemSpace(of: folder) else {
            condition.faults.insert(.failing)
            return condition
        }
        condition.free = space.free
        condition.size = space.total
        guard size > 0 else {
            if space.free < min(StorageReserve.least, space.total / 64) { condition.faults.insert(.full) }
            return condition
        }
        let isFull = isHeld.withLock { isHeld in
            if isHeld {
                guard suspicion == .full || space.free < size / 4 else { return false }
                // Every process can use the space of an emptied file. That is the cost of a reserve that works on all
                // file systems.
                ftruncate(file, 0)
                isHeld = false
            } else if suspicion != .full, space.free >= size + size / 2 {
                isHeld = allocate()
            }
            return !isHeld
        }
        condition.reserve = isFull ? 0 : size
        // A file system that refuses all writes is not full, even if the allocation failed.
        guard isFull, !condition.faults.contains(.readOnly) else { return condition }
        condition.faults.insert(.full)
        condition.refusesGrowth = true
        condition.hasSpare = FileSystemSpace(of: folder).map { $0.free >= size / 4 } ?? false
        return condition
    }

    /// Allocates the reserve for the next start, which needs it to open the databases; call it after all are closed.
    package func takeForNextStart() {
        guard size > 0 else { return }
        isHeld.withLock { isHeld in
            if !isHeld { isHeld = allocate() }
        }
    }

    /// Allocates all of the space or none: a partial reserve would be space that no request can use.
    private func allocate() -> Bool {
        let isWhole = posix_fallocate(file, 0, off_t(size)) == 0
        if !isWhole { ftruncate(file, 0) }
        return isWhole
    }

    /// Checks, without a write, that the file system lets the lock be opened for writing and that the lock is the file
    /// that this process locked.
    private func inspectLock(_ condition: inout StorageCondition) {
        // Another descriptor of the lock's file: closing it leaves flock(2)'s lock as it is.
        let lock = open("\(folder)/\(StorageFolder.lockName)", O_WRONLY | O_CLOEXEC)
        let number = errno
        guard lock < 0 else {
            defer { close(lock) }
            var status = stat()
            guard let lockedFile, fstat(lock, &status) == 0 else { return }
            guard (UInt(status.st_dev), UInt(status.st_ino)) != (lockedFile.device, lockedFile.inode) else { return }
            return displace(&condition)
        }
        switch number {
        case EROFS: condition.faults.insert(.readOnly)
        case EIO: condition.faults.insert(.failing)
        case ENOENT, ENOTDIR: displace(&condition)
        default: break
        }
    }

    private func displace(_ condition: inout StorageCondition) {
        condition.faults.insert(.failing)
        condition.displaced = [.storage(folder)]
    }
}

/// The size and the free space of a file system, in bytes.
struct FileSystemSpace {
    let free: Int64
    let total: Int64

    /// Queries the file system of a path; `nil` if the query fails.
    init?(of path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let block = Int64(clamping: status.f_frsize)
        // Not f_bfree, also for root: on ext4 it includes blocks that no program can allocate.
        free = Int64(clamping: status.f_bavail) * block
        total = Int64(clamping: status.f_blocks) * block
    }
}
