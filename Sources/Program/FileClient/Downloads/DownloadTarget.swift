internal import FoundationEssentials
internal import Glibc

/// Where the bytes of a download go.
protocol DownloadTarget: Sendable {
    /// The number of bytes of an earlier attempt, and the ETag of the file to which they belong.
    func begin() throws -> (offset: Int64, etag: String?)
    /// Notes the ETag of the file, before its first byte, so that another call can continue the download.
    func note(etag: String?, size: Int64?) throws
    /// Removes all bytes; throws if they cannot be removed, as from a pipe.
    func restart() throws
    /// Writes bytes at an offset, the end of those before.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws
    /// The digests of all bytes.
    func digest() throws -> FileDigest
    /// Ends the download: the file is complete and verified.
    func finish() throws
    /// Removes all bytes, which a later call must not continue.
    func discard()
    /// Ends the download before it is complete; removes bytes that a later call cannot continue.
    func abandon()
}

/// A partial file beside the file that it becomes, with the ETag in a second file.
///
/// The names are those of the file with `.lcfile-part` and `.lcfile-etag`, so that they are not the names of other files:
/// a file `photo` beside a file `photo.part` is usual. The ETag is stored only for files that are worth continuing.
final class PartialFile: DownloadTarget {
    /// The size in bytes from which an interrupted download is continued by another call.
    static let resumableSize: Int64 = 1 << 20
    private let path: String
    private let part: String
    private let etagPath: String
    private let descriptor: CInt
    private let isTemporary: Bool

    /// - Throws: ``FileClientError`` of kind `local` if the file cannot be created, or another download has it.
    init(_ path: String, isTemporary: Bool = false) throws(FileClientError) {
        self.path = path
        self.isTemporary = isTemporary
        part = path + ".lcfile-part"
        etagPath = path + ".lcfile-etag"
        descriptor = open(part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw FileClientError(.local, "\(part) cannot be created") }
        // The download that had the lock can have given the file its final name in between.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, PartialFile.isNamed(part, descriptor) else {
            close(descriptor)
            let reason = "by another process, or for another file of this name"
            throw FileClientError(.local, "\(path) is being downloaded already, \(reason)")
        }
    }

    deinit { close(descriptor) }

    func begin() throws -> (offset: Int64, etag: String?) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unwritable }
        guard let etag = try? String(contentsOfFile: etagPath, encoding: .utf8), !etag.isEmpty else {
            try restart()
            return (0, nil)
        }
        return (Int64(status.st_size), etag)
    }

    func note(etag: String?, size: Int64?) throws {
        unlink(etagPath)
        // A weak validator cannot be used with a range (RFC 9110 section 13.1.5).
        guard let etag, !etag.hasPrefix("W/"), size ?? .max >= PartialFile.resumableSize else { return }
        do {
            try Data(etag.utf8).write(to: URL(filePath: etagPath))
        } catch {
            throw unwritable
        }
    }

    func restart() throws {
        unlink(etagPath)
        guard ftruncate(descriptor, 0) == 0 else { throw unwritable }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        var rest = bytes
        var offset = offset
        while !rest.isEmpty {
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw unwritable }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            offset += Int64(count)
        }
    }

    func digest() throws -> FileDigest {
        var digest = FileDigest()
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset: Int64 = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            guard count >= 0 else { throw FileClientError(.local, "\(part) cannot be read") }
            guard count > 0 else { return digest }
            buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
            offset += Int64(count)
        }
    }

    func finish() throws {
        guard PartialFile.isNamed(part, descriptor) else {
            throw FileClientError(.local, "\(part) was replaced or removed during the download")
        }
        guard isTemporary || fsync(descriptor) == 0, rename(part, path) == 0 else { throw unwritable }
        unlink(etagPath)
    }

    func discard() {
        // Another file with this name is not part of the download.
        if PartialFile.isNamed(part, descriptor) { unlink(part) }
        unlink(etagPath)
    }

    func abandon() {
        var status = stat()
        let isResumable = access(etagPath, R_OK) == 0 && fstat(descriptor, &status) == 0 && status.st_size > 0
        if !isResumable { discard() }
    }

    private static func isNamed(_ path: String, _ descriptor: CInt) -> Bool {
        var (named, opened) = (stat(), stat())
        return stat(path, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino
            && named.st_dev == opened.st_dev
    }

    private var unwritable: FileClientError {
        FileClientError(.local, "\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
}
