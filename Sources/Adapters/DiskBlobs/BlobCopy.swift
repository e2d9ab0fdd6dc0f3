package import Domain
internal import Glibc

/// Copies blobs from one app's folder to another that no server uses yet.
///
/// Every call blocks. No copy counts before ``synchronize()`` has returned.
package struct BlobCopy: BlobCopier, Sendable {
    private let source: BlobSource
    private let folder: String
    private let target: BlobLayout
    private let comparingDigests: Bool
    /// The folders with copies, at most 256.
    private var folders: Set<String> = []

    /// Creates the folders in the target.
    ///
    /// - Parameters:
    ///   - source: The blobs to copy.
    ///   - folder: The target app's folder, which must exist.
    ///   - comparingDigests: Whether a blob must have the SHA-256 of its record, or only the size.
    /// - Throws: An error if a folder cannot be created or synced.
    package init(from source: BlobSource, to folder: String, comparingDigests: Bool) throws {
        self.source = source
        self.folder = folder
        self.comparingDigests = comparingDigests
        target = try BlobLayout(folder: folder)
    }

    /// Copies blobs, several at a time, and returns their conditions in the same order.
    ///
    /// When it returns, the bytes of each intact blob are on the disk; damaged blobs leave no file in the target.
    package mutating func copy(_ files: [FileEntry]) throws -> [BlobCondition] {
        // Without a sync, unlike the layout: an interrupted copy is discarded.
        for file in files {
            let folder = target.parent(target.path(of: BlobName(file.key)))
            if folders.insert(folder).inserted { try makeFolder(folder) }
        }
        return try inParallel(files) { [source, target, comparingDigests] file in
            let path = target.path(of: BlobName(file.key))
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
        _ = try inParallel(Array(folders)) { try synchronizeFolder($0) }
        try synchronizeFolder(target.blobs)
        try synchronizeFolder(folder)
    }
}
