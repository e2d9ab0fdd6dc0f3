internal import Crypto
internal import Domain
internal import Glibc
internal import NIOCore

extension LocalFile {
    /// What changes when another program changes the file; `nil` if the system does not say.
    var stamp: S3FileStamp? {
        var status = stat()
        return withDescriptor { fstat($0, &status) } == 0 ? S3FileStamp(status) : nil
    }

    /// The SHA-256 of all bytes as 64 lower-case hexadecimal digits; `nil` if they cannot be read or are not as many;
    /// blocks.
    func sha256(size: Int64) -> String? {
        var hasher = SHA256()
        var offset: Int64 = 0
        while offset < size {
            guard let bytes = try? read(at: offset, count: Int(min(1 << 20, size - offset))) else { return nil }
            bytes.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) }
            offset += Int64(bytes.readableBytes)
        }
        return Array(hasher.finalize()).hexadecimal
    }

    /// Exactly `count` bytes from `offset`; blocks.
    ///
    /// - Throws: ``ServiceError/unreadable(_:)`` if the disk fails or has fewer bytes.
    func read(at offset: Int64, count: Int) throws -> ByteBuffer {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(count)
        while bytes.readableBytes < count {
            let position = offset + Int64(bytes.readableBytes)
            let wanted = count - bytes.readableBytes
            var number: CInt = 0
            let read = bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { free in
                let read = withDescriptor { pread($0, free.baseAddress, min(free.count, wanted), off_t(position)) }
                number = errno
                return max(0, read)
            }
            if read == 0, number == EINTR { continue }
            guard read > 0 else {
                throw ServiceError.unreadable(UnreadableBlob("the cached file ends at \(position)"))
            }
        }
        return bytes
    }
}
