package import Domain
internal import FoundationEssentials
internal import Glibc
internal import NIOCore
package import NIOPosix

/// Blobs as files in one app's folder.
///
/// Every blocking call runs on the pool given, which the server sizes; the folder belongs to one server process.
package struct DiskBlobStore: BlobStore {
    /// The kernel's boot id.
    package let bootID: String
    private let layout: BlobLayout
    private let pool: DiskThreads

    /// What is staged for one request has a name that no upload has.
    private static let draft = "draft-"

    /// Opens the app's folder, which must exist, and makes the folders in it.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - pool: Threads for reading and writing.
    ///   - health: Is told of faults of the storage, and says whether bytes may be added.
    /// - Throws: When a folder cannot be made, synced or read.
    package init(folder: String, pool: NIOThreadPool, health: StorageHealth = StorageHealth()) throws {
        layout = try BlobLayout(folder: folder)
        self.pool = DiskThreads(pool: pool, health: health)
        let boot = try? String(contentsOf: URL(filePath: "/proc/sys/kernel/random/boot_id"), encoding: .utf8)
        // Without a boot id every start counts as a boot.
        bootID = boot?.filter { !$0.isWhitespace } ?? UUID().uuidString
        for name in try names() where name.hasPrefix(DiskBlobStore.draft) { unlink("\(layout.staging)/\(name)") }
    }

    package func stage() async throws -> any StagedBlob {
        let name = (0..<16).map { _ in UInt8.random(in: 0...255) }.hexadecimal
        return try await staged("\(layout.staging)/\(DiskBlobStore.draft)\(name)", isNew: true)
    }

    package func stage(as name: ObjectID) async throws -> any StagedBlob {
        try await staged(layout.path(staging: name), isNew: false)
    }

    private func staged(_ path: String, isNew: Bool) async throws -> DiskStagedBlob {
        try await pool.runIfActive { [layout, pool] in
            try DiskStagedBlob(path: path, isNew: isNew, layout: layout, pool: pool)
        }
    }

    package func leftovers() async throws -> [StagingLeftover] {
        try await pool.runIfActive { [self] in
            try names().compactMap { name in
                let parts = name.split(separator: ".", maxSplits: 1)
                guard let id = parts.first.flatMap({ ObjectID(String($0)) }) else { return nil }
                return parts.count == 1 ? .staged(id) : .committing(id)
            }
        }
    }

    package func settle(_ file: ObjectID, isCommitted: Bool, keepingBytes isKept: Bool) async throws {
        try await pool.runIfActive { [self] in
            for name in try names() where name.hasPrefix("\(file).") {
                let staged = "\(layout.staging)/\(name)"
                let isDraft = name.hasSuffix(BlobLayout.draft)
                let digest = name.dropFirst(file.description.utf8.count + 1).prefix { $0 != "." }
                let blob = layout.path(ofBlobNamed: digest)
                if !isCommitted, DiskBlobStore.areOne(staged, blob) { unlink(blob) }
                if isKept, !isDraft {
                    try syscall("rename") { rename(staged, layout.path(staging: file)) }
                } else {
                    unlink(staged)
                }
            }
        }
    }

    package func open(_ key: FileKey) async throws -> (any OpenBlob)? {
        let path = layout.path(of: key)
        return try await pool.runIfActive {
            try DiskOpenBlob(path: path, pool: pool)
        }
    }

    package func remove(_ keys: [FileKey]) async throws -> [(any Error)?] {
        let paths = keys.map(layout.path(of:))
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

    private static func unlinkBlob(_ path: String) throws {
        guard unlink(path) != 0 else { return }
        let number = errno
        if number != ENOENT { throw failure(of: "unlink", number) }
    }

    private func names() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: layout.staging)
        } catch {
            throw failure(of: "opendir", EIO)
        }
    }

    /// Whether two names lead to the same file: a key may have been taken by another one.
    static func areOne(_ first: String, _ second: String) -> Bool {
        var one = stat()
        var other = stat()
        guard lstat(first, &one) == 0, lstat(second, &other) == 0 else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }
}

/// Returns when the names in a folder are on the disk; a folder that is not there has none.
private func synchronizeIfThere(_ folder: String) throws {
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
