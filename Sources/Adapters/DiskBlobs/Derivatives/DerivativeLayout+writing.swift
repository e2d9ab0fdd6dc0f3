internal import Domain
internal import Glibc
internal import NIOCore

extension DerivativeLayout {
    /// Puts bytes with their trailer in their place, over what was there; blocks the thread.
    ///
    /// - Returns: What was there took so many bytes.
    /// - Throws: `storageFull` or `internalFailure`; then nothing is left of it, and what was there still is.
    func write(_ bytes: ByteBuffer, _ trailer: DerivativeTrailer, as name: DerivativeName) throws -> Int64 {
        let pieces = [bytes, trailer.encoded]
        do {
            return try writeOnce(pieces, as: name)
        } catch let error as ServiceError where (error.cause as? SyscallError)?.number == ENOENT {
            // A folder was removed meanwhile: the operator deletes the cache, or the source's last derivative was
            // removed.
            return try writeOnce(pieces, as: name)
        }
    }

    /// Makes the folders above as well.
    private func writeOnce(_ pieces: [ByteBuffer], as name: DerivativeName) throws -> Int64 {
        try makeFolder(root)
        let (path, staged) = (path(of: name), newStagingPath())
        let file = try Descriptor(staged, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do {
            for piece in pieces { try piece.withUnsafeReadableBytes { try file.write($0) } }
            // The bytes before the name, or a power cut could leave a trailer behind bytes that were never written. No
            // folder is synced: a name that is lost costs only the time to make the derivative again.
            try file.synchronizeData()
            try makeFolders(of: name.source)
            let replaced = DerivativeFile(at: path)?.footprint ?? 0
            try syscall("rename") { rename(staged, path) }
            return replaced
        } catch {
            unlink(staged)
            // Goes only if it is empty.
            rmdir(folder(of: name.source))
            throw error
        }
    }
}
