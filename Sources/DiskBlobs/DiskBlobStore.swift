package import Domain
internal import Glibc
internal import NIOCore
package import NIOPosix

/// Blobs as files in one app's folder.
///
/// Every blocking call runs on the pool given, which the server sizes; the folder belongs to one server process.
package struct DiskBlobStore: BlobStore {
    private let layout: BlobLayout
    private let pool: NIOThreadPool

    /// Opens the app's folder, which must exist, and makes the folders in it.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - pool: Threads for reading and writing.
    /// - Throws: When a folder cannot be made, synced or read.
    package init(folder: String, pool: NIOThreadPool) throws {
        layout = try BlobLayout(folder: folder)
        self.pool = pool
        try removeStaged()
    }

    package func stage() async throws -> any StagedBlob {
        let name = (0..<16).map { _ in UInt8.random(in: 0...255) }.hexadecimal
        let path = "\(layout.staging)/\(name)"
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        return try await pool.runIfActive {
            try DiskStagedBlob(path: path, layout: layout, pool: pool, eventLoop: eventLoop)
        }
    }

    package func open(_ key: FileKey) async throws -> (any OpenBlob)? {
        let path = layout.path(of: key)
        return try await pool.runIfActive {
            try DiskOpenBlob(path: path, pool: pool)
        }
    }

    package func remove(_ key: FileKey) async throws {
        let path = layout.path(of: key)
        try await pool.runIfActive {
            guard unlink(path) != 0 else { return }
            let number = errno
            if number != ENOENT { throw failure(of: "unlink", number) }
        }
    }

    /// What lies in staging when a server starts belongs to uploads that died with the one before.
    private func removeStaged() throws {
        guard let folder = opendir(layout.staging) else {
            throw SyscallError(operation: "opendir", number: errno)
        }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { unlink("\(layout.staging)/\(name)") }
        }
    }
}
