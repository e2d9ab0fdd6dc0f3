internal import Glibc

/// A regular file that is open for reading.
final class OpenFile: Sendable {
    let path: String
    /// The size in bytes when the file was opened.
    let size: Int64
    private let descriptor: CInt
    private let version: FileVersion

    /// - Throws: ``FileClientError`` of kind `local` if the path is not a readable regular file, and of kind `unsized` if
    ///   the file has bytes but reports size 0.
    init(_ path: String) throws(FileClientError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            if descriptor >= 0 { close(descriptor) }
            throw FileClientError(.local, "\(path) is not a file that can be read")
        }
        size = Int64(status.st_size)
        version = FileVersion(status)
        var byte: UInt8 = 0
        guard size > 0 || pread(descriptor, &byte, 1, 0) <= 0 else {
            throw FileClientError(.unsized, "\(path) has bytes but no size, like files in /proc")
        }
    }

    deinit { close(descriptor) }

    /// The file's bytes; reading its last bytes fails if the file has changed since it was opened.
    var body: RequestBody {
        RequestBody(size: size) { buffer, offset in
            let count = try self.read(buffer, offset)
            if offset + Int64(count) >= self.size { try self.requireUnchanged() }
            return count
        }
    }

    private func read(_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) throws -> Int {
        let wanted = min(buffer.count, Int(min(Int64(Int.max), size - offset)))
        guard wanted > 0 else { return 0 }
        while true {
            let count = pread(descriptor, buffer.baseAddress, wanted, off_t(offset))
            if count > 0 { return count }
            if count < 0, errno == EINTR { continue }
            throw count == 0 ? changed : FileClientError(.local, "\(path) cannot be read")
        }
    }

    private func requireUnchanged() throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0, FileVersion(status) == version else { throw changed }
    }

    private var changed: FileClientError {
        FileClientError(.local, "\(path) changed while it was read")
    }
}
