package import Domain
internal import Glibc
package import NIOCore
package import NIOPosix

/// Derivatives as files in one app's folder, up to a number of bytes.
///
/// Every blocking call runs on the given pool, whose size the server sets. The operator can delete the files, or the
/// folder, while the server runs. A use is recorded in the file's times, at most once an hour.
package struct DiskDerivativeStore: DerivativeStore {
    let space: DerivativeSpace
    private let bound: Int64
    private let layout: DerivativeLayout
    let opened: OpenDerivatives
    private let pool: NIOThreadPool
    private let health: StorageHealth

    /// Creates the folder `derivatives` in the app's folder, which must exist, and begins to count its files.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - bound: The maximum bytes of the files, in whole blocks of 4096; with 0 no files are stored, and existing
    ///     ones are removed.
    ///   - openFiles: The maximum number of files that stay open, so that frequently used ones are not opened for each
    ///     use; 0 is allowed, and more than 1024 count as 1024.
    ///   - pool: Threads for reading and writing.
    ///   - health: Receives reports of storage faults, and decides whether files can be added.
    /// - Throws: An error if the folder cannot be created or read.
    package init(
        folder: String,
        bound: Int64,
        openFiles: Int = 256,
        pool: NIOThreadPool,
        health: StorageHealth = StorageHealth()
    ) throws {
        self.bound = bound
        self.pool = pool
        self.health = health
        layout = DerivativeLayout(folder: folder)
        opened = OpenDerivatives(bound: openFiles)
        if bound > 0 { try makeFolder(layout.root) }
        try layout.removeStaged()
        space = DerivativeSpace(bound: bound, layout: layout, opened: opened, pool: pool)
        space.sweep()
    }

    /// The space of the files and its limit in bytes, and the bytes that were removed because of the limit.
    package var usage: (used: Int64, limit: Int64, evicted: Int) { (space.used, bound, space.evicted.value) }

    package func open(_ name: DerivativeName) async throws -> StoredDerivative? {
        guard bound > 0 else { return nil }
        if let file = opened.find(name) {
            if !file.blob.isDamaged {
                if file.takesNote() { pool.submit { if $0 == .active { noteUse(of: file, name) } } }
                return file.stored
            }
            // The trailer decides whether the file is still valid; otherwise the derivative is rendered again.
            opened.remove(name)
        }
        return try await pool.runIfActive {
            guard let file = try opened.open(name, { try read(layout.path(of: name)) }) else { return nil }
            if file.takesNote() { noteUse(of: file, name) }
            return file.stored
        }
    }

    package func store(_ bytes: ByteBuffer, as mediaType: MediaType, under name: DerivativeName) async throws {
        guard bound > 0 else { return }
        try await pool.runIfActive {
            let size = DerivativeFile.footprint(ofSize: Int64(bytes.readableBytes + DerivativeTrailer.length))
            guard let trailer = DerivativeTrailer(of: bytes, as: mediaType), space.reserve(size) else {
                // Not stored, but an older derivative may exist.
                try remove(layout.path(of: name))
                opened.remove(name)
                return
            }
            do {
                let former = try health.reporting {
                    try health.requireSpace()
                    return try layout.write(bytes, trailer, as: name)
                }
                opened.remove(name)
                space.record(size, replacing: former)
            } catch {
                space.cancel(size)
                throw error
            }
        }
    }

    package func remove(allOf source: String) async throws {
        // The pool drops the jobs of a cancelled task, and the files must be removed all the same.
        try await shieldedFromCancellation {
            try await pool.runIfActive {
                var freed: Int64 = 0
                defer {
                    space.free(freed)
                    opened.remove(allOf: source)
                }
                try layout.remove(allOf: source, freed: &freed)
            }
        }
    }

    /// Opens a derivative's file; removes an invalid or incomplete one.
    private func read(_ path: String) throws -> DiskOpenDerivative? {
        do {
            guard let file = try Descriptor(reading: path) else { return nil }
            var status = stat()
            let descriptor = file.raw
            try syscall("fstat") { fstat(descriptor, &status) }
            if let trailer = try DerivativeTrailer(in: file, size: Int64(status.st_size)) {
                return DiskOpenDerivative(
                    file,
                    trailer,
                    usedAt: DerivativeFile(status).usedAt,
                    pool: DiskThreads(pool: pool, health: health)
                )
            }
        } catch let error as ServiceError where (error.cause as? SyscallError)?.number == ELOOP {
            // A link, which lcfile never creates.
            unlink(path)
            return nil
        }
        try remove(path)
        return nil
    }

    private func remove(_ path: String) throws {
        if let file = DerivativeFile(at: path) { space.free(try file.remove(path)) }
    }

    /// Records that an open derivative was used; a deleted one is closed, so that its disk space is freed.
    private func noteUse(of file: DiskOpenDerivative, _ name: DerivativeName) {
        file.blob.touch()
        if !file.blob.hasName() { opened.remove(name) }
    }
}
