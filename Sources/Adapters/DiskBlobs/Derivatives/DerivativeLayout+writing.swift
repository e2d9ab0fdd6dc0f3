internal import Domain
internal import Glibc
internal import NIOCore

extension DerivativeLayout {
    /// Writes bytes with their trailer to the derivative's file, replacing an existing one; blocks the thread.
    ///
    /// - Returns: The space of the replaced file, in bytes.
    /// - Throws: `storageFull` or `internalFailure`; then the new bytes are removed, and an existing file stays.
    func write(_ bytes: ByteBuffer, _ trailer: DerivativeTrailer, as name: DerivativeName) throws -> Int64 {
        let pieces = [bytes, trailer.encoded]
        unsettled.retry()
        do {
            return try writeOnce(pieces, as: name)
        } catch let error as ServiceError where (error.cause as? SyscallError)?.number == ENOENT {
            // A folder was removed meanwhile: the operator deleted the cache, or the source's last derivative was
            // removed.
            return try writeOnce(pieces, as: name)
        }
    }

    /// Writes the file once; creates the folders above it.
    private func writeOnce(_ pieces: [ByteBuffer], as name: DerivativeName) throws -> Int64 {
        try makeFolder(root)
        let (path, staged) = (path(of: name), newStagingPath())
        let file = try Descriptor(staged, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do {
            for piece in pieces { try piece.withUnsafeReadableBytes { try file.write($0) } }
            // The bytes are synced before they get the name; otherwise a power cut could leave a trailer after bytes
            // that were never written. No folder is synced: a lost name costs only the time to render the derivative
            // again.
            try file.synchronizeData()
            try makeFolders(of: name.source)
            let replaced = DerivativeFile(at: path)?.footprint ?? 0
            try syscall("rename") { rename(staged, path) }
            return replaced
        } catch {
            unsettled.remove(staged)
            // `rmdir` removes the folder only if it is empty.
            rmdir(folder(of: name.source))
            throw error
        }
    }
}
