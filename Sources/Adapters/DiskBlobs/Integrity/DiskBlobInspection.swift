package import Domain
internal import Glibc
internal import NIOCore
package import NIOPosix

/// Reads the blobs in an app's folder for the scrubber, one piece at a time on the threads of the disk.
///
/// Each piece is a job of its own, behind those of requests that wait. Before and after it is read, its pages leave the
/// page cache: the bytes come from the disk, and what clients read often stays.
package struct DiskBlobInspection: BlobInspection {
    private let layout: BlobLayout
    private let pool: NIOThreadPool

    /// The size of a piece in bytes.
    private static let pieceSize = 1 << 20

    /// Creates the access to an app's folder; opens nothing.
    package init(folder: String, pool: NIOThreadPool) {
        layout = BlobLayout(reading: folder)
        self.pool = pool
    }

    package func inspect(
        _ file: FileEntry,
        pause: @escaping @Sendable (Int, Duration) async throws -> Void
    ) async throws -> BlobCondition {
        let opened = try await pool.runIfActive { [layout] in try DiskBlobInspection.open(file, in: layout) }
        let blob: LocalFile
        switch opened {
        case .other(let condition): return condition
        case .file(let file): blob = file
        }
        var hasher = BlobHasher(like: file.facts.digest)
        var offset: Int64 = 0
        while true {
            let began = ContinuousClock.now
            let (start, before) = (offset, hasher)
            let piece = try await pool.runIfActive { try DiskBlobInspection.read(blob, at: start, hashing: before) }
            guard let piece else { return .damaged("cannot be read at byte \(start): the disk fails") }
            guard piece.count > 0 else { break }
            hasher = piece.hasher
            offset += Int64(piece.count)
            try await pause(piece.count, .now - began)
        }
        guard offset == file.facts.size else { return .wrongSize(offset, file.facts) }
        guard hasher.digest == file.facts.digest else { return .otherBytes(than: file.facts) }
        return .whole
    }

    package func identity(of file: FileEntry) async throws -> String? {
        try await pool.runIfActive { [layout] in
            for path in layout.paths(of: BlobName(file.key)) {
                var status = stat()
                guard lstat(path, &status) == 0 else { continue }
                let times = [status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
                return "\(status.st_ino) \(status.st_size) \(times.joined(separator: " "))"
            }
            return nil
        }
    }

    /// A blob that can be read, or the condition of one that cannot.
    private enum Opened: Sendable {
        case file(LocalFile)
        case other(BlobCondition)
    }

    /// Opens a blob and compares its size; blocks.
    private static func open(_ file: FileEntry, in layout: BlobLayout) throws -> Opened {
        do {
            guard let blob = try layout.open(BlobName(file.key), { try Descriptor(reading: $0) }) else {
                try layout.require(layout.blobs)
                return .other(.missing)
            }
            let sized = try BlobSource.compareSize(of: blob, with: file.facts)
            guard sized == .whole else { return .other(sized) }
            return .file(blob.shared())
        } catch {
            return .other(try condition(after: error, at: layout.paths(of: BlobName(file.key))))
        }
    }

    /// Reads and hashes a piece; blocks.
    ///
    /// - Returns: The bytes read, 0 at the end; `nil` if the disk fails.
    private static func read(
        _ blob: LocalFile,
        at offset: Int64,
        hashing hasher: BlobHasher
    ) throws -> (count: Int, hasher: BlobHasher)? {
        try blob.withDescriptor { descriptor in
            dropPages(of: descriptor, at: offset, count: pieceSize)
            defer { dropPages(of: descriptor, at: offset, count: pieceSize) }
            do {
                let bytes = try readFile(descriptor, at: offset, count: pieceSize)
                var hasher = hasher
                bytes.withUnsafeReadableBytes { hasher.update($0) }
                return (bytes.readableBytes, hasher)
            } catch {
                guard isDiskFailure(error) else { throw error }
                return nil
            }
        }
    }
}

/// Removes the clean pages of a part of a file from the page cache; a file system that does not is ignored.
func dropPages(of descriptor: CInt, at offset: Int64, count: Int) {
    _ = posix_fadvise(descriptor, off_t(offset), off_t(count), POSIX_FADV_DONTNEED)
}
