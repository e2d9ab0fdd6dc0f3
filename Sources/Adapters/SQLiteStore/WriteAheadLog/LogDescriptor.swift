internal import Domain
internal import Glibc

/// An open file, closed when it is released.
///
/// Never for a database that SQLite has open, or its `-shm`: closing any descriptor of those drops the locks that SQLite
/// holds on them in this process.
final class LogDescriptor: Sendable {
    private let raw: CInt

    /// Opens a file.
    ///
    /// - Throws: ``SystemFailure``.
    init(_ path: String, flags: CInt = O_RDONLY) throws(SystemFailure) {
        raw = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard raw >= 0 else { throw SystemFailure(number: errno) }
    }

    deinit {
        close(raw)
    }

    /// Reads at an offset until the buffer is full or the file ends; returns the number of bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemFailure) -> Int {
        var done = 0
        while done < buffer.count {
            let count = pread(raw, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset) + done)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemFailure(number: errno) }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all bytes at an offset.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemFailure) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(raw, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset) + done)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemFailure(number: errno) }
            done += count
        }
    }

    /// Cuts the file off at a size, or extends it with zeros.
    func truncate(to size: Int64) throws(SystemFailure) {
        guard ftruncate(raw, off_t(size)) == 0 else { throw SystemFailure(number: errno) }
    }

    /// Syncs the bytes, or the names of a folder.
    func synchronize() throws(SystemFailure) {
        guard fsync(raw) == 0 else { throw SystemFailure(number: errno) }
    }

    /// What the system knows of the file.
    func status() throws(SystemFailure) -> stat {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw SystemFailure(number: errno) }
        return status
    }

    /// Syncs the names in the folder of a path.
    static func synchronizeFolder(of path: String) throws(SystemFailure) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        try LogDescriptor(folder.isEmpty ? "/" : folder, flags: O_RDONLY | O_DIRECTORY).synchronize()
    }
}

/// A system call that failed.
struct SystemFailure: Error, CustomStringConvertible {
    let number: CInt

    var description: String { String(cString: strerror(number)) }
}
