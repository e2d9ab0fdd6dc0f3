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
        size = try file.size()
        self.file = file
        self.pool = pool
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        try await pool.runIfActive { [self] in try file.read(at: offset, count: count) }
    }
}
