internal import Domain
internal import Glibc

/// Which file and which file system a path leads to.
extension DiskStagedBlob {
    /// Whether a path leads to this file; blocks briefly.
    ///
    /// - Throws: An error if that is unknown.
    func isFile(at other: String) throws -> Bool {
        var own = stat()
        var found = stat()
        let file = try content.file()
        try syscall("fstat") { fstat(file.descriptor.raw, &own) }
        guard lstat(other, &found) == 0 else {
            let number = errno
            guard number == ENOENT else { throw failure(of: "lstat", number) }
            return false
        }
        return own.st_dev == found.st_dev && own.st_ino == found.st_ino
    }

    /// Whether this file can have a name in a folder; blocks briefly.
    func sharesFileSystem(with folder: String) throws -> Bool {
        var own = stat()
        var found = stat()
        let file = try content.file()
        try syscall("fstat") { fstat(file.descriptor.raw, &own) }
        try syscall("lstat") { lstat(folder, &found) }
        return own.st_dev == found.st_dev
    }
}
