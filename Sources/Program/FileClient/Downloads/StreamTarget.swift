internal import Glibc
internal import Synchronization

/// A descriptor that takes bytes once, such as a pipe.
final class StreamTarget: DownloadTarget {
    private let descriptor: CInt
    private let written = Mutex(FileDigest())

    init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    func begin() -> (offset: Int64, etag: String?) { (0, nil) }

    func note(etag: String?, size: Int64?) {}

    func restart() throws {
        throw FileClientError(.interrupted, "the file changed during the download, and its first bytes are written")
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileClientError(.local, "the output cannot be written") }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        written.withLock { $0.update(bytes) }
    }

    func digest() -> FileDigest { written.withLock { $0 } }

    func finish() {}

    func discard() {}

    func abandon() {}
}
