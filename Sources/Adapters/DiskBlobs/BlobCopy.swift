package import Domain
internal import Glibc

/// Copies blobs from one app's folder to another that no server uses yet.
///
/// Every call blocks. No copy counts before ``synchronize()`` has returned.
package struct BlobCopy: BlobCopier, Sendable {
    private let source: BlobSource
    private let comparingDigests: Bool
    private var folders: BlobFolders

    /// Creates the folders in the target.
    ///
    /// - Parameters:
    ///   - source: The blobs to copy.
    ///   - folder: The target app's folder, which must exist.
    ///   - comparingDigests: Whether a blob must have the SHA-256 of its record, or only the size.
    /// - Throws: An error if a folder cannot be created or synced.
    package init(from source: BlobSource, to folder: String, comparingDigests: Bool) throws {
        self.source = source
        self.comparingDigests = comparingDigests
        folders = try BlobFolders(in: folder)
    }

    /// Copies blobs, several at a time, and returns their conditions in the same order.
    ///
    /// When it returns, the bytes of each intact blob are on the disk; damaged blobs leave no file in the target.
    package mutating func copy(_ files: [FileEntry]) throws -> [BlobCondition] {
        try folders.prepare(files)
        return try inParallel(files) { [source, folders, comparingDigests] file in
            let path = folders.path(of: file)
            let output = try Descriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            let condition = try source.read(file, comparingDigest: comparingDigests) { try output.write($0) }
            if condition == .whole {
                try output.synchronize()
            } else {
                unlink(path)
            }
            return condition
        }
    }

    /// Syncs the names of all copies to the disk.
    package func synchronize() throws {
        try folders.synchronize()
    }
}
