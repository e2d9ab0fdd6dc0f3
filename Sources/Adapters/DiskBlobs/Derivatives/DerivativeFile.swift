internal import Glibc

/// The file system's metadata of a derivative's file, read without opening it.
struct DerivativeFile: Sendable {
    /// The space on the disk in bytes: the size in whole blocks.
    let footprint: Int64
    /// The time of the last recorded use, in milliseconds since 1970.
    let usedAt: Int64

    private static let blockSize: Int64 = 4096

    /// Reads the metadata without following links; `nil` if there is no file at the path.
    init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(status)
    }

    /// Creates the value from the result of `stat`.
    init(_ status: stat) {
        footprint = DerivativeFile.footprint(ofSize: Int64(status.st_size))
        // Other programs can set any time, including one whose milliseconds overflow.
        let seconds = min(max(0, Int64(status.st_mtim.tv_sec)), 1 << 40)
        usedAt = seconds * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
    }

    /// The space on the disk of a file of a size.
    static func footprint(ofSize size: Int64) -> Int64 {
        (size + blockSize - 1) / blockSize * blockSize
    }

    /// Removes the file; returns the freed bytes, 0 if it was already removed.
    func remove(_ path: String) throws -> Int64 {
        guard unlink(path) != 0 else { return footprint }
        let number = errno
        guard number == ENOENT else { throw failure(of: "unlink", number) }
        return 0
    }
}
