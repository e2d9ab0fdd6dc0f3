internal import Crypto
internal import Domain
internal import Glibc
internal import S3

/// A failure of the cache's disk: the blob is read from the store without the cache.
struct CacheFailure: Error, CustomStringConvertible {
    let description: String

    init(_ operation: String, _ number: CInt) {
        description = "\(operation): \(String(cString: strerror(number)))"
    }
}

/// A new file of a cache, under a temporary name; used by one thread.
final class S3CacheWriter {
    let path: String
    /// The file for readers.
    let file: LocalFile
    private let descriptor: CInt
    private var hasher = SHA256()
    private var size: Int64 = 0
    /// The error for which a transfer to the file was ended.
    private var failure: CacheFailure?
    private let arrival: S3Arrival

    /// Creates the file, which must not exist; blocks.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - arrival: Is told how far the bytes have come.
    /// - Throws: ``CacheFailure``.
    init(_ path: String, _ arrival: S3Arrival) throws {
        self.path = path
        self.arrival = arrival
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CacheFailure("open", errno) }
        let reader = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard reader >= 0 else {
            let failure = CacheFailure("open", errno)
            close(descriptor)
            unlink(path)
            throw failure
        }
        file = LocalFile(owning: reader)
    }

    deinit {
        close(descriptor)
    }

    /// The SHA-256 of the bytes as 64 lower-case hexadecimal digits.
    var sha256: String { Array(hasher.finalize()).hexadecimal }

    /// The entry of the complete file.
    var entry: S3CacheEntries.Entry { S3CacheEntries.Entry(sha256: sha256, size: size, stamp: nil) }

    /// Replaces all bytes by those of a range of a blob, in another attempt; blocks.
    ///
    /// - Parameters:
    ///   - range: The range.
    ///   - stored: The blob.
    ///   - client: The client of its bucket.
    ///   - observe: Receives the bytes.
    /// - Returns: The digest with which the blob was put; `nil` if it is unknown.
    /// - Throws: ``MissingObject``, ``CacheFailure`` or `S3Error`; ``ServiceError/unreadable(_:)`` if bytes are not those
    ///   that were encrypted.
    func fill(
        _ range: Range<Int64>,
        of stored: S3StoredBlob,
        from client: S3Client,
        _ observe: @escaping (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws -> BlobDigest? {
        guard ftruncate(descriptor, 0) == 0 else { throw CacheFailure("ftruncate", errno) }
        (hasher, size) = (SHA256(), 0)
        arrival.begin(in: file)
        do {
            return try stored.read(range, from: client) { [self] bytes throws(S3Error) in
                observe(bytes)
                try append(bytes)
            }
        } catch let error as S3Error {
            if let failure { throw failure }
            throw error.reason == .missing ? MissingObject() : error
        }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws(S3Error) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(size) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = CacheFailure("pwrite", count == 0 ? ENOSPC : errno)
                self.failure = failure
                throw S3Error(.local, "the cache cannot be written: \(failure)")
            }
            done += count
        }
        hasher.update(bufferPointer: bytes)
        size += Int64(bytes.count)
        arrival.reach(size)
    }
}
