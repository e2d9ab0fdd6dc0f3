internal import Synchronization

/// Computes the digests of a download and stores nothing.
final class DigestTarget: DownloadTarget {
    private let received = Mutex(FileDigest())

    func begin() -> (offset: Int64, etag: String?) { (0, nil) }

    func note(etag: String?, size: Int64?) {}

    func restart() { received.withLock { $0 = FileDigest() } }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) { received.withLock { $0.update(bytes) } }

    func digest() -> FileDigest { received.withLock { $0 } }

    func finish() {}

    func discard() {}

    func abandon() {}
}
