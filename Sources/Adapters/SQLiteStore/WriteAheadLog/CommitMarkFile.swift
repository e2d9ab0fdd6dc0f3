internal import Domain
internal import Glibc

/// The file beside a database that holds its ``CommitMark``: `lcfile.commits` for `lcfile.sqlite`.
enum CommitMarkFile {
    /// The path of the file for a database.
    static func path(of database: String) -> String {
        let suffix = ".sqlite"
        return (database.hasSuffix(suffix) ? String(database.dropLast(suffix.count)) : database) + ".commits"
    }

    /// A mark, and when it was written.
    struct Found {
        let mark: CommitMark
        let written: timespec
    }

    /// Reads the mark of a database.
    ///
    /// - Returns: `nil` if there is none, or no whole one: then nothing is known.
    /// - Throws: ``SystemFailure`` if the file is there, but cannot be read.
    static func read(of database: String) throws(SystemFailure) -> Found? {
        let file: LogDescriptor
        do throws(SystemFailure) {
            file = try LogDescriptor(path(of: database))
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: CommitMark.size, alignment: 8)
        defer { bytes.deallocate() }
        let count = try file.read(into: bytes, at: 0)
        guard let mark = CommitMark(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count])) else {
            return nil
        }
        return Found(mark: mark, written: try file.status().st_mtim)
    }

    /// Whether an open file is the one at the path for a database, and holds a mark.
    ///
    /// A mark that was copied over another one is in the same file.
    static func isPlaced(
        _ file: LogDescriptor,
        holding mark: CommitMark,
        for database: String
    ) throws(SystemFailure) -> Bool {
        let opened = try file.status()
        var status = stat()
        guard lstat(path(of: database), &status) == 0, status.st_dev == opened.st_dev,
            status.st_ino == opened.st_ino
        else { return false }
        return try read(of: database)?.mark == mark
    }

    /// Removes the mark, synced, so that a missing log is no lost one.
    static func remove(of database: String) throws(SystemFailure) {
        guard unlink(path(of: database)) == 0 || errno == ENOENT else { throw SystemFailure(number: errno) }
        try LogDescriptor.synchronizeFolder(of: database)
    }
}
