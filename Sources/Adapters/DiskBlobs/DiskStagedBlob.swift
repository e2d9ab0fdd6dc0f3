internal import CLinux
internal import Domain
internal import Glibc
internal import NIOCore
internal import Synchronization

/// Bytes on their way in: one file in staging, written at offsets, with what is known of its digests.
final class DiskStagedBlob: StagedBlob {
    let file: Descriptor
    let hashes = BlockHashes()
    let md5 = RunningMD5()
    let pool: DiskThreads
    private let layout: BlobLayout
    /// Where the file is now, and where it was when it was opened.
    private let path: Mutex<String>
    private let originalPath: String
    /// Where the bytes of an upload are staged; nil for those of one request, of no use once that is over.
    private let stagedPath: String?
    private let hasDurableName = Mutex(false)
    /// Whether a blob may be there that should not: then the file keeps the name by which the next start finds it.
    private let keepsNote = Mutex(false)
    /// What the writers have written, if they wrote all that there is.
    private let known: Mutex<Known?>

    /// The end of the file and its first bytes, as far as they came in order.
    struct Known {
        var extent: Int64 = 0
        var head = ByteBuffer()

        mutating func take(_ buffer: ByteBuffer, at position: Int64) {
            let remaining = StagedFacts.headSize - head.readableBytes
            guard remaining > 0, Int64(head.readableBytes) == position,
                let start = buffer.getSlice(at: buffer.readerIndex, length: min(remaining, buffer.readableBytes))
            else { return }
            head.writeImmutableBuffer(start)
        }
    }

    private static let largeSize: Int64 = 8 << 20

    /// Which files are opened.
    enum Age {
        case new
        case old
        case any

        fileprivate var flags: CInt {
            switch self {
            case .new: O_CREAT | O_EXCL
            case .old: 0
            case .any: O_CREAT
            }
        }
    }

    /// Opens or makes the file; blocks.
    ///
    /// - Parameters:
    ///   - path: Where it is.
    ///   - stagedPath: Where it is when no commit is noted; nil for the bytes of one request.
    ///   - age: Whether it must be there already, or must not.
    ///   - layout: The folders.
    ///   - pool: Threads for reading and writing.
    /// - Throws: When the file cannot be opened.
    init(path: String, stagedPath: String?, mustBe age: Age, layout: BlobLayout, pool: DiskThreads) throws {
        file = try Descriptor(path, O_RDWR | O_NOFOLLOW | age.flags, mode: 0o600)
        self.path = Mutex(path)
        originalPath = path
        self.stagedPath = stagedPath
        known = Mutex(age == .new ? Known() : nil)
        self.layout = layout
        self.pool = pool
    }

    func requireFreeSpace(for size: Int64) async throws {
        // Less than this is not worth the question: the bytes themselves will tell.
        guard size >= DiskStagedBlob.largeSize else { return }
        // Not reported as a fault: one file that is too large leaves space for others.
        try await pool.runUnreported { [self] in
            var status = statvfs()
            try syscall("fstatvfs") { fstatvfs(file.raw, &status) }
            guard Int64(clamping: status.f_bavail) * Int64(clamping: status.f_frsize) >= size else {
                throw failure(of: "fstatvfs", ENOSPC)
            }
        }
    }

    func extent() async throws -> Int64 {
        if let extent = known.withLock({ $0?.extent }) { return extent }
        return try await pool.runIfActive { [self] in try file.size() }
    }

    /// Says that bytes were written at an offset.
    func note(_ buffers: [ByteBuffer], at offset: Int64) {
        known.withLock { known in
            guard var now = known else { return }
            var position = offset
            for buffer in buffers {
                now.take(buffer, at: position)
                position += Int64(buffer.readableBytes)
            }
            // Where the first bytes were written over, the file itself knows better.
            known = offset < Int64(now.head.readableBytes) && offset < now.extent ? nil : now
            known?.extent = max(now.extent, position)
        }
    }

    func write(at offset: Int64, digesting digests: Set<DigestKind>) -> any BlobWriter {
        DiskBlobWriter(self, at: offset, digesting: digests)
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        try await pool.runIfActive { [self] in try file.read(at: offset, count: count) }
    }

    func open() async throws -> any OpenBlob {
        try await pool.runIfActive { [self] in
            guard let blob = try DiskOpenBlob(path: path.withLock(\.self), pool: pool) else {
                throw failure(of: "open", ENOENT)
            }
            return blob
        }
    }

    func synchronize() async throws {
        try await pool.runIfActive { [self] in
            try file.synchronizeData()
            guard !hasDurableName.withLock(\.self) else { return }
            hasDurableName.withLock { $0 = true }
            do {
                try synchronizeFolder(layout.staging)
            } catch {
                hasDurableName.withLock { $0 = false }
                throw error
            }
        }
    }

    func finish(size: Int64, needsMD5: Bool) async throws -> StagedFacts {
        // The hash of a small file that arrived in order is known already, without a job of the pool.
        let isWhole = known.withLock { $0?.extent == size }
        if !isWhole {
            try await pool.runIfActive { [self] in
                guard try file.size() >= size else { throw failure(ofReading: size) }
                try file.truncate(to: size)
            }
            hashes.forget(behind: size)
            known.withLock { $0 = nil }
        }
        let blocks = try await blocks(of: size)
        var digest = md5.known(of: size)
        if digest == nil, needsMD5 || size <= BlobFacts.md5Limit {
            digest = try await pool.runIfActive { [self] in try RunningMD5.digest(of: size, in: file) }
        }
        let facts = BlobFacts(size: size, digest: .contentHash(ContentHash.joining(blocks)), md5: digest)
        let head = known.withLock { $0?.head }
        if let head, head.readableBytes == min(Int(clamping: size), StagedFacts.headSize) {
            return StagedFacts(blob: facts, head: head)
        }
        return StagedFacts(blob: facts, head: try await read(at: 0, count: StagedFacts.headSize))
    }

    func noteCommit(as blob: BlobName, of file: ObjectID) async throws {
        try await pool.runIfActive { [self] in
            keepsNote.withLock { $0 = false }
            try move(to: layout.path(noting: CommitNote(file: file, blob: blob, isDraft: stagedPath == nil)))
        }
    }

    func cancelCommit() async throws {
        // Not on the pool: a cancelled task's jobs are dropped there, and the note must go all the same.
        try move(to: stagedPath ?? originalPath)
    }

    func keepNote() {
        keepsNote.withLock { $0 = true }
    }

    func discard() async {
        guard !keepsNote.withLock(\.self) else { return }
        let path = path.withLock(\.self)
        // A small file goes at once; a large one's blocks take the file system its time.
        guard known.withLock({ $0?.extent ?? .max }) >= DiskStagedBlob.largeSize else {
            unlink(path)
            return
        }
        // The pool drops the jobs of a cancelled task, and the name must be removed all the same.
        let isDone = await shieldedFromCancellation { [pool] in (try? await pool.runIfActive { unlink(path) }) != nil }
        if !isDone { unlink(path) }
    }

    /// The digest of each block, as they were taken while writing, or from the file where they were not.
    private func blocks(of size: Int64) async throws -> [[UInt8]] {
        let known = (0..<ContentHash.blockCount(of: size)).map { hashes.digest(of: $0, size: size) }
        let unknown = known.indices.filter { known[$0] == nil }
        guard !unknown.isEmpty else { return known.compactMap(\.self) }
        let read = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            var read: [Int: [UInt8]] = [:]
            for (started, block) in unknown.enumerated() {
                // As many at a time as keep a disk busy, and no more memory than that takes.
                if started >= 8, let (done, digest) = try await group.next() { read[done] = digest }
                group.addTask { [pool] in
                    (block, try await pool.runIfActive { try BlockHashes.digest(of: block, size: size, in: self.file) })
                }
            }
            for try await (done, digest) in group { read[done] = digest }
            return read
        }
        return known.enumerated().compactMap { $0.element ?? read[$0.offset] }
    }

    private func move(to new: String) throws {
        try path.withLock { path in
            guard path != new else { return }
            try syscall("rename") { rename(path, new) }
            path = new
        }
        hasDurableName.withLock { $0 = false }
    }

    /// Gives the file the name of a blob; blocks.
    ///
    /// - Returns: False if the blob's folder is on another file system, where the file can have no name.
    /// - Throws: ``ServiceError/Code/duplicateValue`` if another file has the name.
    func link(to blob: String) throws -> Bool {
        do {
            try linkBlob(path.withLock(\.self), blob)
        } catch let error as ServiceError where error.code == .duplicateValue {
            // Left by an earlier put that could not be undone, or by a power cut of this same commit on a file system
            // that kept the new name and not the old one's end.
            guard try isFile(at: blob) else { throw error }
        } catch let error as ServiceError where (error.cause as? SyscallError)?.number == EXDEV {
            return false
        }
        return true
    }

    /// Whether a path leads to this file; blocks, though briefly.
    ///
    /// - Throws: If that cannot be told.
    func isFile(at other: String) throws -> Bool {
        var own = stat()
        var found = stat()
        try syscall("fstat") { fstat(file.raw, &own) }
        guard lstat(other, &found) == 0 else {
            let number = errno
            guard number == ENOENT else { throw failure(of: "lstat", number) }
            return false
        }
        return own.st_dev == found.st_dev && own.st_ino == found.st_ino
    }

    /// Whether this file can have a name in a folder; blocks, though briefly.
    func sharesFileSystem(with folder: String) throws -> Bool {
        var own = stat()
        var found = stat()
        try syscall("fstat") { fstat(file.raw, &own) }
        try syscall("lstat") { lstat(folder, &found) }
        return own.st_dev == found.st_dev
    }
}

/// Gives a file a second name, or, where file systems know no such thing, its only one; blocks.
///
/// - Throws: ``ServiceError/Code/duplicateValue`` if there is a file of that name.
func linkBlob(_ old: String, _ new: String) throws {
    if link(old, new) == 0 { return }
    let number = errno
    // A key that was chosen, and is another file's.
    if number == EEXIST { throw keyTaken }
    guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(number) else { throw failure(of: "link", number) }
    if clinux_rename_without_replacing(old, new) == 0 { return }
    let second = errno
    if second == EEXIST { throw keyTaken }
    guard second == EINVAL || second == ENOSYS else { throw failure(of: "rename", second) }
    // Keys are random, and the row's unique key is the second guard.
    guard access(new, F_OK) != 0 else { throw keyTaken }
    try syscall("rename") { rename(old, new) }
}

private let keyTaken = ServiceError(.duplicateValue, "The key is taken.")
