package import Glibc

/// The times of files.
package enum FileTimes {
    /// Sets the times of a file back to those of an earlier status, as `rsync --inplace --times` does.
    ///
    /// On return the time of the last change of the inode differs from the earlier one: times of the file system are those
    /// of its clock's ticks.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - before: Its earlier status.
    /// - Returns: Whether that succeeded.
    package static func setBack(_ path: String, to before: stat) -> Bool {
        var after = before
        repeat {
            guard utimensat(AT_FDCWD, path, [before.st_atim, before.st_mtim], 0) == 0, stat(path, &after) == 0 else {
                return false
            }
        } while after.st_ctim.tv_sec == before.st_ctim.tv_sec && after.st_ctim.tv_nsec == before.st_ctim.tv_nsec
        return true
    }
}
