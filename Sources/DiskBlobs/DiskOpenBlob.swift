internal import Domain
internal import Glibc
internal import NIOCore
internal import NIOPosix

/// A blob's file, open for reading.
final class DiskOpenBlob: OpenBlob {
    let size: Int64
    var descriptor: CInt? { file.raw }
    private let file: Descriptor
    private let pool: NIOThreadPool

    /// Opens the file, or gives nothing if there is none; blocks.
    init?(path: String, pool: NIOThreadPool) throws {
        guard let file = try Descriptor(reading: path) else { return nil }
        var status = stat()
        try syscall("fstat") { fstat(file.raw, &status) }
        self.file = file
        size = Int64(status.st_size)
        self.pool = pool
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        try await pool.runIfActive { [self] in
            var bytes = ByteBufferAllocator().buffer(capacity: count)
            while bytes.readableBytes < count {
                let position = offset + Int64(bytes.readableBytes)
                let read = try bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: 0) { free in
                    let wanted = min(free.count, count - Int(position - offset))
                    return try syscall("pread") { pread(file.raw, free.baseAddress, wanted, off_t(position)) }
                }
                if read == 0 { break }
            }
            return bytes
        }
    }
}
