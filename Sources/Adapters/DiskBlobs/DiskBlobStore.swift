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
    let pool: DiskThreads

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
        layout = try BlobLayout(folder: folder)
        self.pool = DiskThreads(pool: pool, health: health)
        try layout.removeStaged(beginningWith: DiskBlobStore.copy)
    }

    package func put(
        _ staged: any StagedBlob,
        _ facts: BlobFacts,
        as key: FileKey,
        of file: ObjectID
    ) async throws {
        guard let staged = staged as? DiskStagedBlob else { return try await copy(staged, facts, to: BlobName(key)) }
        let isLinked = try await pool.runIfActive { [layout] in
            let path = layout.path(of: BlobName(key))
            let folder = try layout.makeFolders(of: path)
            // All names first, then all syncs: the first sync also writes the others, including the note of the commit,
            // in one transaction of the file system's journal. No client knows the key before the row exists.
            guard try staged.link(to: path) else { return false }
            try staged.file.synchronize()
            try layout.synchronize(folder)
            return true
        }
        if !isLinked { try await copy(staged, facts, to: BlobName(key)) }
    }

    package func undo(_ staged: any StagedBlob, as blob: BlobName, of file: ObjectID) async throws {
        let path = layout.path(of: blob)
        if let staged = staged as? DiskStagedBlob {
            let mayBeCopy = try await pool.runIfActive { [layout] in
                if try staged.isFile(at: path) { try DiskBlobStore.unlinkBlob(path) }
                return try !staged.sharesFileSystem(with: layout.blobs)
            }
            guard mayBeCopy else { return }
        }
        try await undoCopy(of: staged, at: path)
    }

    package func open(_ key: FileKey) async throws -> (any OpenBlob)? {
        let path = layout.path(of: BlobName(key))
        return try await pool.runIfActive {
            try DiskOpenBlob(path: path, pool: pool)
        }
    }

    package func remove(_ keys: [FileKey]) async throws -> [(any Error)?] {
        let paths = keys.map { layout.path(of: BlobName($0)) }
        return try await pool.runIfActive { [layout, health = pool.health] in
            // All names first, then all syncs, as in a commit.
            let results = paths.map { path in Result { try health.reporting { try DiskBlobStore.unlinkBlob(path) } } }
            var folders: [String: Result<Void, any Error>] = [:]
            return zip(paths, results).map { path, result in
                guard case .success = result else { return result.failure }
                let folder = layout.parent(path)
                let synced = folders[folder] ?? Result { try health.reporting { try synchronizeIfThere(folder) } }
                folders[folder] = synced
                return synced.failure
            }
        }
    }

    /// Removes a blob's name; blocks.
    static func unlinkBlob(_ path: String) throws {
        guard unlink(path) != 0 else { return }
        let number = errno
        if number != ENOENT { throw failure(of: "unlink", number) }
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
