internal import Domain
internal import Glibc

/// Calls the body with each name in a folder, one at a time and in no order; a missing folder has no names.
///
/// - Throws: `internalFailure` if the folder cannot be read, and errors of the body.
func forEachName(in folder: String, _ body: (String) throws -> Void) throws {
    guard access(folder, F_OK) == 0 || errno != ENOENT else { return }
    try forEachEntry(of: folder) { name, _ in try body(name) }
}

/// Calls the body with each name in a folder, one at a time and in no order, and with whether it is a folder's.
///
/// - Throws: The error of a failed system call, also for a missing folder, and errors of the body.
func forEachEntry(of folder: String, _ body: (String, Bool) throws -> Void) throws {
    guard let stream = opendir(folder) else {
        let number = errno
        throw failure(of: "opendir \(folder)", number)
    }
    defer { closedir(stream) }
    while true {
        // `readdir` returns null at the end and on failure; only `errno` tells the two apart.
        errno = 0
        guard let entry = readdir(stream) else {
            let number = errno
            guard number == 0 else { throw failure(of: "readdir \(folder)", number) }
            return
        }
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard name != ".", name != ".." else { continue }
        var isFolder = entry.pointee.d_type == UInt8(DT_DIR)
        if entry.pointee.d_type == UInt8(DT_UNKNOWN) {
            // A file system that does not store types in folders.
            var status = stat()
            guard lstat("\(folder)/\(name)", &status) == 0 else {
                let number = errno
                guard number == ENOENT else { throw failure(of: "lstat", number) }
                // It was removed meanwhile.
                continue
            }
            isFolder = status.st_mode & S_IFMT == S_IFDIR
        }
        try body(name, isFolder)
    }
}
