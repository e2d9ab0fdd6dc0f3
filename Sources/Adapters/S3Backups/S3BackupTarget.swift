package import Domain
package import S3

/// A backup target in a bucket of an S3 store, below a prefix.
///
/// An answered request is durable, as S3 promises it, and readers see an object only when it is complete.
package struct S3BackupTarget: BackupTarget {
    private let client: S3Client
    /// What all keys begin with; empty, or with a slash at its end.
    private let prefix: String

    /// - Parameters:
    ///   - client: The client of the bucket.
    ///   - prefix: The beginning of all keys, without slashes around it; empty for the whole bucket.
    package init(_ client: S3Client, prefix: String) {
        self.client = client
        self.prefix = prefix.isEmpty ? "" : "\(prefix)/"
    }

    /// The address, such as `s3://bucket/prefix`.
    package var description: String { "s3://\(client.bucket.name)/\(prefix.dropLast())" }

    package func put(_ name: String, fileAt path: String) throws(BackupTargetFailure) -> Int64 {
        let key = try key(name)
        do throws(S3Error) {
            return try client.put(key, fileAt: path)
        } catch {
            throw BackupTargetFailure(error)
        }
    }

    package func put(_ name: String, bytes: [UInt8]) throws(BackupTargetFailure) {
        let key = try key(name)
        do throws(S3Error) {
            try client.put(key, bytes: bytes)
        } catch {
            throw BackupTargetFailure(error)
        }
    }

    package func get(_ name: String, toFileAt path: String) throws(BackupTargetFailure) -> Int64 {
        let key = try key(name)
        do throws(S3Error) {
            return try client.get(key, toFileAt: path).size
        } catch {
            throw BackupTargetFailure(error)
        }
    }

    package func get(_ name: String, limit: Int) throws(BackupTargetFailure) -> [UInt8]? {
        let key = try key(name)
        do throws(S3Error) {
            return try client.get(key, limit: limit)
        } catch {
            throw BackupTargetFailure(error)
        }
    }

    package func list(prefix: String, after: String?, limit: Int) throws(BackupTargetFailure) -> [BackupObject] {
        var found: [BackupObject] = []
        var position = after.map { self.prefix + $0 }
        var previous = position ?? ""
        do throws(S3Error) {
            // A page of the store can have fewer objects than requested, and keys that are not those of a backup.
            while found.count < limit {
                let page = try client.list(prefix: self.prefix + prefix, after: position, limit: limit - found.count)
                for object in page.objects {
                    guard previous.utf8.lexicographicallyPrecedes(object.key.utf8) else { throw otherOrder }
                    previous = object.key
                    guard object.key.hasPrefix(self.prefix) else { continue }
                    let name = String(object.key.dropFirst(self.prefix.count))
                    guard BackupObject.isName(name) else { continue }
                    found.append(BackupObject(name: name, size: object.size, modified: object.modified))
                }
                guard page.hasMore, let last = page.objects.last?.key, last != position else { break }
                position = last
            }
        } catch {
            throw BackupTargetFailure(error)
        }
        return found
    }

    package func remove(_ names: [String]) throws(BackupTargetFailure) {
        let keys = try names.map { name throws(BackupTargetFailure) in try key(name) }
        do throws(S3Error) {
            try client.delete(keys)
        } catch {
            throw BackupTargetFailure(error)
        }
    }

    /// Some stores list folder by folder (SeaweedFS, S3's directory buckets): `a/b` before `a-b`.
    ///
    /// Where both orders differ, a page would leave out names that a caller takes for removed.
    private var otherOrder: S3Error {
        S3Error(.refused, "\(self): the S3 store does not list keys in the order of their bytes")
    }

    private func key(_ name: String) throws(BackupTargetFailure) -> String {
        guard BackupObject.isName(name) else {
            throw BackupTargetFailure(.refused, "an object of a backup cannot have this name: \(name.debugDescription)")
        }
        return prefix + name
    }
}

extension BackupTargetFailure {
    init(_ error: S3Error) {
        let reason: Reason =
            switch error.reason {
            case .missing: .missing
            case .tooLarge: .tooLarge
            case .refused, .settings, .clock: .refused
            case .full: .full
            case .damaged, .unavailable, .local, .stopped: .unavailable
            }
        self.init(reason, error.description)
    }
}
