internal import Glibc

/// An open local file.
final class S3File {
    private let descriptor: CInt
    private let path: String

    /// The size of a piece in memory in bytes.
    private static let piece = 256 << 10

    /// Opens a file for reading.
    init(reading path: String) throws(S3Error) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw S3File.failure(path, "read") }
    }

    /// Creates a file that does not exist.
    init(creating path: String) throws(S3Error) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw S3File.failure(path, "written") }
    }

    deinit {
        close(descriptor)
    }

    func size() throws(S3Error) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw S3File.failure(path, "read") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw S3Error(.local, "\(path) is not a regular file") }
        return Int64(status.st_size)
    }

    /// Fills a buffer from an offset on; throws if the file has become shorter.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(S3Error) -> Int {
        guard !buffer.isEmpty else { return 0 }
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count > 0 { return count }
            if count < 0, errno == EINTR { continue }
            guard count == 0 else { throw S3File.failure(path, "read") }
            throw S3Error(.local, "\(path) became shorter while it was sent")
        }
    }

    /// All bytes of a small file.
    func bytes(limit: Int) throws(S3Error) -> [UInt8] {
        let size = try size()
        guard size <= Int64(limit) else { throw S3Error(.local, "\(path) has more than \(limit) bytes") }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(size), alignment: 1)
        defer { buffer.deallocate() }
        var count = 0
        while count < buffer.count {
            count += try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), at: Int64(count))
        }
        return Array(buffer)
    }

    /// Writes all bytes at an offset.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(S3Error) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw S3File.failure(path, "written") }
            done += count
        }
    }

    func truncate() throws(S3Error) {
        guard ftruncate(descriptor, 0) == 0 else { throw S3File.failure(path, "written") }
    }

    func synchronize() throws(S3Error) {
        guard fsync(descriptor) == 0 else { throw S3File.failure(path, "synced") }
    }

    func digests(of range: Range<Int64>) throws(S3Error) -> S3Digests {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: S3File.piece, alignment: 16)
        defer { buffer.deallocate() }
        var hashing = S3Hashing()
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = Int(min(Int64(S3File.piece), range.upperBound - offset))
            let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
            hashing.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
        return hashing.digests
    }

    private static func failure(_ path: String, _ verb: String) -> S3Error {
        S3Error(.local, "\(path) cannot be \(verb): \(String(cString: strerror(errno)))")
    }
}
