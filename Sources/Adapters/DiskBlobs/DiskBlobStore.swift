package import Domain
internal import Glibc
internal import NIOCore
package import NIOPosix

/// Blobs as files in one app's folder.
///
/// Bytes that a ``DiskStagingArea`` staged on the same file system become a blob by a second name, without a copy; those
/// of other kinds are copied in large pieces. Every blocking call runs on the pool given, which the server sizes; the
/// folder belongs to one server process.
package struct DiskBlobStore: BlobStore {
    let layout: BlobLayout
    let pool: DiskThreads

    /// What a blob is copied to until it is whole has a name that nothing staged has.
    static let copy = "copy-"

    /// Opens the app's folder, which must exist, makes the folders in it, and removes copies that were cut off.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - pool: Threads for reading and writing.
    ///   - health: Is told of faults of the storage, and says whether bytes may be added.
    /// - Throws: When a folder cannot be made, synced or read.
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
            // All names first, then all syncs: the first of them takes the others along in one go of the file system's
            // journal, also the note of the commit. No client knows the key before the row exists.
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

/// Returns when the names in a folder are on the disk; a folder that is not there has none.
func synchronizeIfThere(_ folder: String) throws {
    do {
        try synchronizeFolder(folder)
    } catch let error as ServiceError where (error.cause as? SyscallError)?.number == ENOENT {
        // No blob was ever there.
    }
}

extension Result {
    /// Why there is no value.
    fileprivate var failure: Failure? {
        guard case .failure(let failure) = self else { return nil }
        return failure
    }
}
