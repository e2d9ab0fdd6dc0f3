package import Domain
internal import Glibc
package import S3

/// The encrypted blobs of an app as objects of a backup target, for copies: with their plaintext, and only to be read.
package struct SealedBlobTarget: BackupTarget {
    private let bucket: S3BlobBucket

    /// Creates the access; sends no request.
    ///
    /// - Parameters:
    ///   - client: The client of the bucket.
    ///   - layout: The names of the app's objects; names here are those behind ``S3BlobLayout/root``.
    ///   - encryption: The keys.
    package init(_ client: S3Client, layout: S3BlobLayout, encryption: BlobEncryption) {
        bucket = S3BlobBucket(client: client, layout: layout, encryption: encryption)
    }

    /// The address, such as `s3://bucket/prefix/app`.
    package var description: String { "s3://\(bucket.client.bucket.name)/\(bucket.layout.root.dropLast())" }

    package func get(_ name: String, toFileAt path: String) throws(BackupTargetFailure) -> Int64 {
        try reporting {
            guard let object = try bucket.client.head(bucket.layout.root + name) else {
                throw BackupTargetFailure(.missing, "\(self) has no object '\(name)'")
            }
            let stored = try S3StoredBlob(object, in: bucket)
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw SealedBlobTarget.failure(path, errno) }
            defer { close(descriptor) }
            if stored.size > 0 {
                try stored.read(0..<stored.size, from: bucket.client) { bytes throws(S3Error) in
                    var rest = bytes[...]
                    while !rest.isEmpty {
                        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                        if count < 0, errno == EINTR { continue }
                        guard count > 0 else {
                            throw S3Error(.local, "'\(path)' cannot be written: \(String(cString: strerror(errno)))")
                        }
                        rest = rest.dropFirst(count)
                    }
                }
            }
            guard fsync(descriptor) == 0 else { throw SealedBlobTarget.failure(path, errno) }
            return stored.size
        }
    }

    package func list(prefix: String, after: String?, limit: Int) throws(BackupTargetFailure) -> [BackupObject] {
        try reporting {
            let root = bucket.layout.root
            var found: [BackupObject] = []
            var position = after.map { root + $0 }
            // A page of the store can have fewer objects than requested.
            while found.count < limit {
                let page = try bucket.client.list(prefix: root + prefix, after: position, limit: limit - found.count)
                for object in page.objects {
                    let size = try S3StoredBlob(object, in: bucket).size
                    let name = String(object.key.dropFirst(root.count))
                    found.append(BackupObject(name: name, size: size, modified: object.modified))
                }
                guard page.hasMore, let last = page.objects.last?.key, last != position else { break }
                position = last
            }
            return found
        }
    }

    package func get(_ name: String, limit: Int) throws(BackupTargetFailure) -> [UInt8]? { throw onlyRead }

    package func put(_ name: String, fileAt path: String) throws(BackupTargetFailure) -> Int64 { throw onlyRead }

    package func put(_ name: String, bytes: [UInt8]) throws(BackupTargetFailure) { throw onlyRead }

    package func remove(_ names: [String]) throws(BackupTargetFailure) { throw onlyRead }

    private var onlyRead: BackupTargetFailure {
        BackupTargetFailure(.refused, "the blobs of \(self) are only read by copies")
    }

    private func reporting<Result>(_ body: () throws -> Result) throws(BackupTargetFailure) -> Result {
        do {
            return try body()
        } catch let failure as BackupTargetFailure {
            throw failure
        } catch let error as S3Error {
            throw BackupTargetFailure(error.reason == .missing ? .missing : .unavailable, error.description)
        } catch {
            throw BackupTargetFailure(.unavailable, "\(error.logged)")
        }
    }

    private static func failure(_ path: String, _ number: CInt) -> BackupTargetFailure {
        BackupTargetFailure(.unavailable, "'\(path)' cannot be written: \(String(cString: strerror(number)))")
    }
}
