package import Glibc

/// What differs after the bytes of a file have changed, or another file has its path.
///
/// The size and the time of the last change of the bytes are not enough, because programs such as `touch`, `rsync` and
/// `cp --preserve` set that time. No program can set the time of the last change of the inode, and a file that replaces
/// another one has its own inode.
package struct FileVersion: Sendable, Hashable, Codable, CustomStringConvertible {
    private let size: Int64
    private let inode: UInt64
    private let modified: Int64
    private let changed: Int64

    /// The version of a file with this status.
    package init(_ status: stat) {
        size = Int64(status.st_size)
        inode = UInt64(status.st_ino)
        modified = FileVersion.nanoseconds(status.st_mtim)
        changed = FileVersion.nanoseconds(status.st_ctim)
    }

    /// The version of the file at a path, behind symbolic links; `nil` without one.
    package init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The version without spaces.
    package var description: String { "\(size):\(inode):\(modified):\(changed)" }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
