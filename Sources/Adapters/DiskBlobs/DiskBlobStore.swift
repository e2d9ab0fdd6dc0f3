package import Domain
internal import Glibc
internal import NIOCore
package import NIOPosix

/// Blobs as files in one app's folder.
///
/// Bytes that a ``DiskStagingArea`` staged on the same file system become a blob by a second name, without a copy;
/// bytes of other staging areas are copied in large pieces. Every blocking call runs on the given pool, whose size the
/// server sets; the folder belongs to one server process.
package struct DiskBlobStore: BlobStore {
    let layout: BlobLayout
    let trash: TrashLayout
    let pool: DiskThreads
    private let hasHardLinks: Bool

    /// The prefix of the names of unfinished copies, which no staged file has.
    static let copy = "copy-"

    /// Opens the app's folder, which must exist, creates the folders in it, and removes interrupted copies.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - pool: Threads for reading and writing.
    ///   - health: Receives reports of storage faults, and decides whether bytes can be added.
    /// - Throws: An error if a folder cannot be created, synced or read.
    package init(folder: String, pool: NIOThreadPool, health: StorageHealth = StorageHealth()) throws {
        try self.init(folder: folder, pool: pool, health: health, hasHardLinks: true)
    }

    /// The same; `hasHardLinks` is `false` in tests of file systems without hard links.
    init(folder: String, pool: NIOThreadPool, health: StorageHealth = StorageHealth(), hasHardLinks: Bool) throws {
        self.hasHardLinks = hasHardLinks
        layout = try BlobLayout(folder: folder)
        trash = TrashLayout(folder: folder)
        self.pool = DiskThreads(pool: pool, health: health)
        try layout.removeStaged(beginningWith: DiskBlobStore.copy)
    }

    /// Opens the folder of an app to read it, while a server can use it; creates and removes nothing.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - pool: Threads for reading.
    package init(reading folder: String, pool: NIOThreadPool) {
        hasHardLinks = true
        layout = BlobLayout(reading: folder)
        trash = TrashLayout(folder: folder)
        self.pool = DiskThreads(pool: pool, health: StorageHealth())
    }

    package func put(
        _ staged: any StagedBlob,
        _ facts: BlobFacts,
        as key: FileKey,
        of file: ObjectID
    ) async throws {
        guard let staged = staged as? DiskStagedBlob else { return try await copy(staged, facts, to: BlobName(key)) }
        let isLinked = try await pool.runIfActive { [layout, hasHardLinks] in
            try layout.require(layout.staging, layout.blobs)
            let path = layout.path(of: BlobName(key))
            try layout.requireFree(BlobName(key))
            let folder = try layout.prepareFolder(of: path)
            // All names first, then all syncs: the first sync also writes the others, including the note of the commit,
            // in one transaction of the file system's journal. No client knows the key before the row exists.
            guard try staged.link(to: path, hasHardLinks: hasHardLinks) else { return false }
            let file = try staged.content.file()
            try staged.syncs.run { try staged.content.covering { try file.descriptor.synchronize() } }
            try layout.synchronize(folder)
            return true
        }
        if !isLinked { try await copy(staged, facts, to: BlobName(key)) }
    }

    package func undo(_ staged: any StagedBlob, as blob: BlobName, of file: ObjectID) async throws {
        let paths = layout.paths(of: blob)
        if let staged = staged as? DiskStagedBlob {
            // Bytes without a file were never linked or copied.
            guard staged.content.isOnDisk else { return }
            let mayBeCopy = try await pool.runIfActive { [layout] in
                for path in paths where try staged.isFile(at: path) { try DiskBlobStore.unlinkBlob(path) }
                return try !staged.sharesFileSystem(with: layout.blobs)
            }
            guard mayBeCopy else { return }
        }
        for path in paths { try await undoCopy(of: staged, at: path) }
    }

    package func open(_ blob: FileBlob) async throws -> (any OpenBlob)? {
        try await pool.runIfActive { [layout, pool] in
            let opened = try layout.open(BlobName(blob.key)) { try DiskOpenBlob(path: $0, pool: pool) }
            // A blob in a folder that can be moved back is not missing: it would count as damaged.
            if opened == nil { try layout.require(layout.blobs) }
            return opened
        }
    }

    package func remove(_ blobs: [FileBlob]) async throws -> [(any Error)?] {
        try await pool.runIfActive { [layout, health = pool.health] in
            // All names first, then all syncs, as in a commit.
            let results = blobs.map { blob in
                Result { try health.reporting { try layout.removeName(of: BlobName(blob.key)) } }
            }
            var folders: [String: Result<Void, any Error>] = [:]
            return results.map { result in
                guard case .success(let own) = result else { return result.failure }
                for folder in own where folders[folder] == nil {
                    folders[folder] = Result { try health.reporting { try synchronizeIfThere(folder) } }
                }
                return own.lazy.compactMap { folders[$0]?.failure }.first
            }
        }
    }

    /// Removes a name of a blob; blocks.
    ///
    /// - Returns: Whether it was there.
    @discardableResult static func unlinkBlob(_ path: String) throws -> Bool {
        guard unlink(path) != 0 else { return true }
        let number = errno
        guard number == ENOENT else { throw failure(of: "unlink", number) }
        return false
    }
}

extension BlobLayout {
    /// Removes the name of a blob, if there is one; blocks.
    ///
    /// - Returns: The folders to sync. A removal that is repeated can have been done without a sync, so the folder of a
    ///   name that is not there counts, too.
    /// - Throws: ``StorageDisplacement/refusal`` if ``blobs`` is missing: the blob would be back with it.
    func removeName(of blob: BlobName) throws -> [String] {
        let path = path(of: blob)
        let earlier = earlierPath(of: blob)
        if try DiskBlobStore.unlinkBlob(path) { return [parent(path)] }
        if try !DiskBlobStore.unlinkBlob(earlier) { try require(blobs) }
        return [parent(path), parent(earlier)]
    }
}

/// Syncs the names in a folder to the disk; does nothing for a missing folder.
func synchronizeIfThere(_ folder: String) throws {
    do {
        try synchronizeFolder(folder)
    } catch let error as ServiceError where (error.cause as? SyscallError)?.number == ENOENT {
        // The folder never contained a blob.
    }
}

extension Result {
    /// The error of a failed result.
    fileprivate var failure: Failure? {
        guard case .failure(let failure) = self else { return nil }
        return failure
    }
}
