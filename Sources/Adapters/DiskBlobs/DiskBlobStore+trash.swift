package import Domain
internal import Glibc

/// The trash as a folder beside the blobs: bytes move there, and back, by a second name.
extension DiskBlobStore {
    package func moveToTrash(_ blobs: [TrashedBlob]) async throws -> [(any Error)?] {
        try await pool.runIfActive { [layout, trash, health = pool.health] in
            // All new names, their syncs, the removal of all old names, their syncs: at each moment the bytes have one.
            var errors = blobs.map { blob in
                health.failure {
                    try trash.makeFolder(of: blob.entry)
                    try layout.link(blob, to: trash.path(of: blob.entry))
                }
            }
            func proceed(_ body: (TrashedBlob) throws -> Void) {
                for (index, blob) in blobs.enumerated() where errors[index] == nil {
                    errors[index] = health.failure { try body(blob) }
                }
            }
            var synced = SyncedFolders()
            proceed { for folder in trash.foldersToSync(of: $0.entry) { try synced.synchronize(folder) } }
            var old: [TrashedBlob: [String]] = [:]
            proceed { old[$0] = try layout.removeName(of: BlobName($0.key)) }
            proceed { for folder in old[$0] ?? [] { try synced.synchronize(folder) } }
            return errors
        }
    }

    package func restore(_ blob: TrashedBlob) async throws -> Bool {
        try await pool.runIfActive { [layout, trash] in
            trash.note()
            let path = layout.path(of: BlobName(blob.key))
            let source = trash.path(of: blob.entry)
            guard access(source, F_OK) == 0 else {
                if layout.paths(of: BlobName(blob.key)).contains(where: { access($0, F_OK) == 0 }) { return true }
                try layout.require(layout.blobs)
                // Bytes in a folder that can be moved back are not lost.
                try trash.require()
                return false
            }
            try layout.requireFree(BlobName(blob.key))
            let folder = try layout.prepareFolder(of: path)
            try linkAgain(source, path)
            try layout.synchronize(folder)
            return true
        }
    }

    package func open(trashed entry: ObjectID) async throws -> (any OpenBlob)? {
        try await pool.runIfActive { [trash, pool] in
            trash.note()
            let opened = try DiskOpenBlob(path: trash.path(of: entry), pool: pool)
            if opened == nil { try trash.require() }
            return opened
        }
    }

    package func removeFromTrash(_ entries: [ObjectID]) async throws -> [(any Error)?] {
        try await pool.runIfActive { [trash, health = pool.health] in
            trash.note()
            var errors = entries.map { entry in
                health.failure {
                    // Moved back, bytes of a removed entry would take space that no quota counts.
                    if try !DiskBlobStore.unlinkBlob(trash.path(of: entry)) { try trash.require() }
                }
            }
            var synced = SyncedFolders()
            for (index, entry) in entries.enumerated() where errors[index] == nil {
                errors[index] = health.failure { try synced.synchronize(trash.folder(of: entry)) }
            }
            return errors
        }
    }
}

/// The folders that a batch has synced, each once.
private struct SyncedFolders {
    private var results: [String: Result<Void, any Error>] = [:]

    mutating func synchronize(_ folder: String) throws {
        let result = results[folder] ?? Result { try synchronizeIfThere(folder) }
        results[folder] = result
        try result.get()
    }
}

extension BlobLayout {
    /// Gives a blob its name in the trash; does nothing if the blob is not there; blocks.
    ///
    /// - Throws: ``StorageDisplacement/refusal`` if ``blobs`` is missing: the trash would have an entry without bytes.
    fileprivate func link(_ blob: TrashedBlob, to path: String) throws {
        for source in paths(of: BlobName(blob.key)) where access(source, F_OK) == 0 {
            return try linkAgain(source, path)
        }
        try require(blobs)
    }
}

extension StorageHealth {
    /// Runs a body and reports its storage fault; returns its error.
    fileprivate func failure(_ body: () throws -> Void) -> (any Error)? {
        do {
            try reporting(body)
            return nil
        } catch {
            return error
        }
    }
}

/// Gives a file a second name, which it can have already; blocks.
///
/// - Throws: ``ServiceError/Code/duplicateValue`` if another file has the name.
private func linkAgain(_ old: String, _ new: String) throws {
    do {
        try linkBlob(old, new)
    } catch let error as ServiceError where error.code == .duplicateValue {
        var (one, other) = (stat(), stat())
        try syscall("lstat") { lstat(old, &one) }
        try syscall("lstat") { lstat(new, &other) }
        guard one.st_dev == other.st_dev, one.st_ino == other.st_ino else { throw error }
    }
}
