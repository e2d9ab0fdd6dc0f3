/// A place outside the storage folder that keeps backups: a folder on another disk, or a bucket of an S3 store.
///
/// Names of objects are relative paths of `a-z`, `A-Z`, `0-9`, `.`, `_`, `-` and `/`, without empty, `.` and `..` parts,
/// of 1 to 512 bytes; callers make them of digests, times and numbers, never of what a client sent.
///
/// Every call blocks and can be made from several threads at once; it is for commands and for threads of their own,
/// never for the cooperative pool.
package protocol BackupTarget: Sendable, CustomStringConvertible {
    /// Stores the bytes of a file under a name, in the place of an older object with this name.
    ///
    /// When the call returns, the object is durable. Readers see the old object or the new one, never a part.
    ///
    /// - Returns: The number of bytes.
    /// - Throws: ``BackupTargetFailure``; nothing, the old object or the whole new one has the name then.
    @discardableResult
    func put(_ name: String, fileAt path: String) throws(BackupTargetFailure) -> Int64

    /// Stores a few bytes under a name, as ``put(_:fileAt:)`` does.
    func put(_ name: String, bytes: [UInt8]) throws(BackupTargetFailure)

    /// Writes the bytes of an object to a new file of mode 0600 and syncs it.
    ///
    /// - Returns: The number of bytes.
    /// - Throws: ``BackupTargetFailure``, with ``BackupTargetFailure/Reason/missing`` if there is no such object. A
    ///   partial file can remain.
    @discardableResult
    func get(_ name: String, toFileAt path: String) throws(BackupTargetFailure) -> Int64

    /// The bytes of a small object, `nil` if there is none.
    ///
    /// - Throws: ``BackupTargetFailure``, with ``BackupTargetFailure/Reason/tooLarge`` if it has more bytes than the limit.
    func get(_ name: String, limit: Int) throws(BackupTargetFailure) -> [UInt8]?

    /// The objects whose names begin with a prefix, in ascending order of the names' bytes, up to a limit.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the names; empty for all objects.
    ///   - after: Only names behind this one; the last name of the previous page.
    ///   - limit: 1 to 1000.
    /// - Returns: The page; fewer objects than the limit only at the end.
    /// - Throws: ``BackupTargetFailure``.
    func list(prefix: String, after: String?, limit: Int) throws(BackupTargetFailure) -> [BackupObject]

    /// Removes objects; names that do not exist are ignored.
    func remove(_ names: [String]) throws(BackupTargetFailure)
}

extension BackupTarget {
    /// The object with a name, as a listing shows it; `nil` if there is none.
    package func object(named name: String) throws(BackupTargetFailure) -> BackupObject? {
        guard let first = try list(prefix: name, after: nil, limit: 1).first, first.name == name else { return nil }
        return first
    }
}

/// An object of a backup target, as a listing shows it.
package struct BackupObject: Sendable, Equatable {
    /// The name in the target.
    package let name: String
    /// The number of bytes.
    package let size: Int64
    /// When it was stored, in seconds since 1970, by the clock of the target.
    package let modified: Int64

    /// Creates the entry of a listing.
    package init(name: String, size: Int64, modified: Int64) {
        self.name = name
        self.size = size
        self.modified = modified
    }
}

/// The reason why a backup target did not do what was asked.
package struct BackupTargetFailure: Error, CustomStringConvertible {
    /// The kinds of failures that callers distinguish.
    package enum Reason: Sendable {
        /// There is no such object.
        case missing
        /// The object has more bytes than the caller takes.
        case tooLarge
        /// The target refuses: credentials, permissions, a name that is not allowed.
        case refused
        /// The target has no space left.
        case full
        /// The target, or the local file, cannot be read or written; a later attempt can succeed.
        case unavailable
    }

    /// The kind of failure.
    package let reason: Reason
    /// What failed, for the operator: one line, without secrets.
    package let description: String

    /// Creates a failure with a message.
    package init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
