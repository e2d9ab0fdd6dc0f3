internal import Glibc

/// A folder that is being read; every call blocks.
final class OpenFolder {
    private let stream: OpaquePointer
    private var identity = stat()

    /// Opens a folder.
    ///
    /// - Throws: ``MigrationError`` if it cannot be read.
    init(_ path: String) throws(MigrationError) {
        guard let stream = opendir(path) else { throw OpenFolder.unreadable() }
        self.stream = stream
        fstat(dirfd(stream), &identity)
    }

    deinit { closedir(stream) }

    /// The next name but `.` and `..`; `.some(nil)` for one that is not UTF-8, `nil` at the end.
    ///
    /// - Throws: ``MigrationError`` if the rest cannot be read.
    func next() throws(MigrationError) -> String?? {
        while true {
            // `readdir` returns null at the end and on failure; only `errno` tells the two apart.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw OpenFolder.unreadable() }
                return nil
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { return .some(name) }
        }
    }

    /// Whether both are the same folder, possibly by different paths.
    func isSame(as other: OpenFolder) -> Bool {
        identity.st_dev == other.identity.st_dev && identity.st_ino == other.identity.st_ino
    }

    private static func unreadable() -> MigrationError {
        MigrationError("the folder cannot be read: \(String(cString: strerror(errno)))")
    }
}
