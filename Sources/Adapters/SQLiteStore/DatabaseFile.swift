internal import Domain
internal import Glibc
internal import Synchronization

/// The file of an open database, known by its device and inode.
///
/// SQLite does not notice that the file was removed or replaced: it goes on with the file that it has open. Only the
/// database's own file counts. SQLite creates and removes the others.
final class DatabaseFile: Sendable {
    private let path: String
    /// `nil` if the file could not be examined; then nothing is noticed.
    private let identity = Mutex<Identity?>(nil)

    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t

        init(_ status: stat) {
            device = status.st_dev
            inode = status.st_ino
        }
    }

    /// Names the path of a file that ``remember()`` identifies.
    init(at path: String) {
        self.path = path
    }

    /// Remembers the file at the path, which the writer has opened just now.
    func remember() {
        var status = stat()
        let current = stat(path, &status) == 0 ? Identity(status) : nil
        identity.withLock { $0 = current }
    }

    /// What is wrong if the file is not at its path any more; one system call.
    ///
    /// The file is not opened: closing it would end the locks that SQLite has on it in this process.
    var displacement: StorageDisplacement? {
        guard let identity = identity.withLock(\.self) else { return nil }
        var status = stat()
        if stat(path, &status) == 0 { return Identity(status) == identity ? nil : .database(path) }
        // Other errors, such as EIO, tell nothing about the file.
        let number = errno
        return number == ENOENT || number == ENOTDIR ? .database(path) : nil
    }
}
