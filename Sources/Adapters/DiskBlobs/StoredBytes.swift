internal import Domain
internal import Glibc
internal import NIOCore

/// The error of a failed read of stored bytes.
///
/// It is ``ServiceError/unreadable(_:)`` if the disk or its file system failed, else the original error, such as that
/// of a process without free descriptors.
func unreadable(_ error: any Error) -> any Error {
    guard isDiskFailure(error), let cause = (error as? ServiceError)?.cause else { return error }
    return ServiceError.unreadable(UnreadableBlob("\(cause)"))
}

/// Whether the disk or its file system caused an error of a system call.
func isDiskFailure(_ error: any Error) -> Bool {
    guard let cause = (error as? ServiceError)?.cause as? SyscallError else { return false }
    return diskFailures.contains(cause.number)
}

/// The condition of a blob whose file was not opened, if the error says something about this file or the disk.
///
/// - Parameters:
///   - error: The error of ``Descriptor/init(reading:)``, or of reading the size.
///   - paths: Where the file can be.
/// - Returns: The condition.
/// - Throws: The error if it is one of the process, such as that of a process without free descriptors, or of a folder
///   that cannot be searched: it says nothing about the file.
func condition(after error: any Error, at paths: [String]) throws -> BlobCondition {
    if isDiskFailure(error) { return .damaged("cannot be opened: the disk fails") }
    guard let cause = (error as? ServiceError)?.cause as? SyscallError, refusals.contains(cause.number),
        paths.contains(where: isThere)
    else { throw error }
    return .damaged("cannot be opened: \(String(cString: strerror(cause.number)))")
}

private func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
}

/// The error numbers of a file with another owner or mode, and of a symbolic link.
private let refusals = [EACCES, EPERM, ELOOP]

/// The error numbers of failing disks and file systems, including network file systems.
private let diskFailures = [EIO, ENXIO, ENODATA, EBADMSG, EUCLEAN, ESTALE, EREMOTEIO]

extension LocalFile {
    /// Reads bytes that must exist; blocks.
    ///
    /// - Parameters:
    ///   - offset: The first byte.
    ///   - count: The maximum number of bytes.
    ///   - size: The size of the stored bytes; later bytes of the file are not read.
    /// - Returns: The requested bytes, up to the end.
    /// - Throws: ``ServiceError/unreadable(_:)`` if the disk fails or has fewer bytes.
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
