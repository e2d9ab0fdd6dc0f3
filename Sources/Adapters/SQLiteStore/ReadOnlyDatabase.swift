internal import Domain
internal import GRDB
internal import Glibc

/// A connection that only reads a database, also one in a folder that cannot be written, such as that of a snapshot.
///
/// For a database with a write-ahead log SQLite needs the shared index of the log (`-shm`), which it creates if no
/// process has. Where it cannot, a database whose log is empty is opened as a file that does not change, without locks.
struct ReadOnlyDatabase {
    let queue: DatabaseQueue
    private let path: String
    /// The file when it was opened without locks; `nil` if SQLite locks it.
    private let unlocked: FileState?

    /// Opens a database; blocks.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - configuration: The configuration of a connection that only reads.
    ///   - isFolderWritable: Whether the folder can be written; `nil` looks at it.
    /// - Throws: ``OpenFailure`` for a log that cannot be read there; errors of SQLite.
    init(path: String, _ configuration: Configuration, isFolderWritable: Bool? = nil) throws {
        self.path = path
        let isWritable = isFolderWritable ?? ReadOnlyDatabase.isFolderWritable(of: path)
        guard !isWritable, access("\(path)-shm", F_OK) != 0, let state = FileState(path) else {
            unlocked = nil
            queue = try DatabaseQueue(path: path, configuration: configuration)
            return
        }
        guard (FileState("\(path)-wal")?.size ?? 0) == 0 else {
            throw OpenFailure(
                message: "has a write-ahead log, which cannot be read because its folder cannot be written: copy the "
                    + "folder, with the file '-wal', to a disk that can be written, and use the copy"
            )
        }
        unlocked = state
        // Debian's SQLite reads URIs without a flag, which GRDB does not set.
        queue = try DatabaseQueue(
            path: "file:\(path.hasPrefix("/") ? "//" : "")\(path.percentEncodedPath)?immutable=1",
            configuration: configuration
        )
    }

    /// Throws if the database was changed since it was opened without locks: what was read can be of two states.
    ///
    /// - Throws: ``OpenFailure``.
    func requireUnchanged() throws(OpenFailure) {
        guard let unlocked, FileState(path) != unlocked else { return }
        throw OpenFailure(message: "was changed while it was read, through another path than this read-only one")
    }

    private static func isFolderWritable(of path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        return access(folder, W_OK) == 0
    }

    private struct FileState: Equatable {
        let size: Int
        private let seconds: Int
        private let nanoseconds: Int

        /// Reads the state; `nil` without the file.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (size, seconds, nanoseconds) = (Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }
}
