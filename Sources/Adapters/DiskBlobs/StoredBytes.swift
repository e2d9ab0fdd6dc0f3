internal import Domain
internal import Glibc
internal import NIOCore

/// What a failed read of stored bytes becomes: ``ServiceError/unreadable(_:)`` if the disk or its file system failed,
/// else the error itself, such as that of a process without descriptors.
func unreadable(_ error: any Error) -> any Error {
    guard let cause = (error as? ServiceError)?.cause as? SyscallError, diskFailures.contains(cause.number) else {
        return error
    }
    return ServiceError.unreadable(UnreadableBlob(cause.description))
}

/// What disks and file systems, also those on a network, say when they are broken.
private let diskFailures = [EIO, ENXIO, ENODATA, EBADMSG, EUCLEAN, ESTALE, EREMOTEIO]

extension LocalFile {
    /// Reads bytes that must be there; blocks.
    ///
    /// - Parameters:
    ///   - offset: Where to begin.
    ///   - count: How many at most.
    ///   - size: That of the stored bytes; what the file has behind them is not read.
    /// - Returns: All that were asked for, up to the end.
    /// - Throws: ``ServiceError/unreadable(_:)`` if the disk fails or has fewer.
    func readStored(at offset: Int64, count: Int, of size: Int64) throws -> ByteBuffer {
        guard offset < size else { return ByteBuffer() }
        let wanted = Int(min(Int64(count), size - offset))
        let bytes: ByteBuffer
        do {
            bytes = try withDescriptor { try readFile($0, at: offset, count: wanted) }
        } catch {
            throw unreadable(error)
        }
        guard bytes.readableBytes == wanted else {
            let end = offset + Int64(bytes.readableBytes)
            throw ServiceError.unreadable(UnreadableBlob("the file ends at \(end) of \(size) bytes"))
        }
        return bytes
    }
}
