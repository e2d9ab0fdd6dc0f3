internal import Domain
internal import Glibc
internal import NIOCore
internal import Synchronization

/// Staged bytes as one file, written at offsets, with the digests that are computed while writing; those of a small
/// draft are in memory until its commit.
final class DiskStagedBlob: StagedBlob {
    let content: StagedContent
    let hashes = BlockHashes()
    let md5 = RunningMD5()
    let pool: DiskThreads
    let syncs: FileSyncs
    private let layout: BlobLayout
    private let unsettled: UnsettledNames
    /// The path when the bytes were staged.
    private let originalPath: String
    /// The path of the staged bytes of an upload; `nil` for the bytes of one request, which are useless after it.
    private let stagedPath: String?
    /// How often the file was renamed, and after how many of these its folder was synced.
    private let renames = Mutex<(count: Int, durable: Int?)>((0, nil))
    /// The note of the current commit.
    private let note: Mutex<CommitNote?>
    /// Whether a blob can exist that should not: then the file retains the name by which the commit is decided later.
    private let keepsNote = Mutex(false)
    /// The extent and head of the file, if the writers have written all of its bytes.
    let known: Mutex<Known?>

    /// The end of the file and its first bytes, as far as they were written in order.
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

    /// Whether the file to open must be new, must exist, or either.
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

    /// Stages new bytes of one request in memory; does not block.
    ///
    /// - Parameters:
    ///   - place: The place in memory.
    ///   - path: The path of the file, once there is one.
    ///   - layout: The folders.
    ///   - unsettled: The names that failures left.
    ///   - pool: Threads for reading and writing.
    init(in place: DraftPlaces.Place, path: String, layout: BlobLayout, unsettled: UnsettledNames, pool: DiskThreads) {
        content = StagedContent(path: path, file: nil, place: place, unsettled: unsettled, health: pool.health)
        // Removed after a failure: nothing else is staged with it.
        syncs = FileSyncs(SyncFailures())
        originalPath = path
        stagedPath = nil
        known = Mutex(Known())
        note = Mutex(nil)
        self.layout = layout
        self.unsettled = unsettled
        self.pool = pool
    }

    /// Opens or creates the file; blocks.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - stagedPath: The path without a noted commit; `nil` for the bytes of one request.
    ///   - age: Whether the file must exist, or must not.
    ///   - note: The note whose name the path has.
    ///   - layout: The folders.
    ///   - unsettled: The names that failures left.
    ///   - failures: Counts the syncs that fail.
    ///   - pool: Threads for reading and writing.
    /// - Throws: An error if the file cannot be opened.
    init(
        path: String,
        stagedPath: String?,
        mustBe age: Age,
        noting note: CommitNote? = nil,
        layout: BlobLayout,
        unsettled: UnsettledNames,
        failures: SyncFailures,
        pool: DiskThreads
    ) throws {
        let file = OpenFile(try Descriptor(path, O_RDWR | O_NOFOLLOW | age.flags, mode: 0o600))
        content = StagedContent(path: path, file: file, unsettled: unsettled, health: pool.health)
        syncs = FileSyncs(failures)
        originalPath = path
        self.stagedPath = stagedPath
        known = Mutex(age == .new ? Known() : nil)
        self.note = Mutex(note)
        self.layout = layout
        self.unsettled = unsettled
        self.pool = pool
    }

    func requireFreeSpace(for size: Int64) async throws {
        // For fewer bytes the check is not worthwhile: writing them fails early enough.
        guard size >= DiskStagedBlob.largeSize else { return }
        // Not reported as a fault: a single file that is too large leaves space for others.
        try await pool.runUnreported { [content, pool] in
            var status = statvfs()
            let file = try pool.health.reporting { try content.file() }
            try syscall("fstatvfs") { fstatvfs(file.descriptor.raw, &status) }
            guard Int64(clamping: status.f_bavail) * Int64(clamping: status.f_frsize) >= size else {
                throw failure(of: "fstatvfs", ENOSPC)
            }
        }
    }

    func extent() async throws -> Int64 {
        if let extent = known.withLock({ $0?.extent }) { return extent }
        return try await pool.runIfActive { [content] in try content.file().descriptor.size() }
    }

    func ranges(recorded: RangeSet<Int64>) async throws -> RangeSet<Int64> {
        try await pool.runIfActive { [content] in
            let file = try content.file()
            return try file.descriptor.dataRanges().union(recorded)
                .intersection(RangeSet(0..<file.descriptor.size()))
        }
    }

    /// Records that bytes were written at an offset.
    func note(_ buffers: [ByteBuffer], at offset: Int64) {
        known.withLock { known in
            guard var now = known else { return }
            var position = offset
            for buffer in buffers {
                now.take(buffer, at: position)
                position += Int64(buffer.readableBytes)
            }
            // If the first bytes are overwritten, they have to be read from the file.
            known = offset < Int64(now.head.readableBytes) && offset < now.extent ? nil : now
            known?.extent = max(now.extent, position)
        }
    }

    func write(at offset: Int64, order: Int?, digesting digests: Set<DigestKind>) -> any BlobWriter {
        DiskBlobWriter(self, at: offset, digesting: digests)
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        try await pool.runIfActive { [content] in try content.file().descriptor.read(at: offset, count: count) }
    }

    func writeOut() async throws {
        guard !content.isOnDisk || content.isOpen else { return }
        try await pool.runIfActive { [self] in
            _ = try content.file()
            try closeFile()
        }
    }

    var isSynced: Bool { content.isSynced }

    func close() async throws {
        guard content.isOpen else { return }
        try await pool.runIfActive { [self] in try closeFile() }
    }

    private func closeFile() throws {
        if !content.isSynced { try synchronizeData() }
        content.close()
        // Read again from the file: the bytes can stay closed for long.
        known.withLock { $0?.head = ByteBuffer() }
    }

    func open() async throws -> any OpenBlob {
        try await pool.runIfActive { [self] in
            _ = try content.file()
            guard let blob = try DiskOpenBlob(path: content.path, pool: pool) else {
                throw failure(of: "open", ENOENT)
            }
            return blob
        }
    }

    func synchronize() async throws {
        try await pool.runIfActive { [self] in
            try synchronizeData()
            let (count, durable) = renames.withLock(\.self)
            guard durable != count else { return }
            // Parts that are written at once each sync the folder, until one of them has done so: none is acknowledged
            // before.
            try synchronizeFolder(layout.staging)
            renames.withLock { $0.durable = count }
        }
    }

    private func synchronizeData() throws {
        // Opened before the sync, because a failed opening tells nothing about the bytes.
        let file = try content.file()
        try syncs.share { try content.covering { try file.descriptor.synchronizeData() } }
    }

    func noteCommit(as blob: BlobName, of file: ObjectID) async throws {
        let new = CommitNote(file: file, blob: blob, isDraft: stagedPath == nil)
        // Bytes in memory get their file under the name of the note, before they get that of the blob.
        guard content.isOnDisk else { return try begin(new) }
        try await pool.runIfActive { [self] in
            try unsettled.makeFree(layout.path(noting: new))
            try begin(new)
        }
    }

    private func begin(_ new: CommitNote) throws {
        // A rename that fails leaves the earlier note, which stays undecided.
        try move(to: layout.path(noting: new))
        endNote()
        note.withLock { $0 = new }
    }

    func cancelCommit() async throws {
        // Not on the pool, which drops the jobs of a cancelled task: the note must be removed anyway.
        let note = content.path
        let name = stagedPath ?? originalPath
        try move(to: name)
        // A power cut can leave both names, on a file system that stored the note and not the removal of the old name.
        // Then the rename does nothing, and both stay.
        if note != name, content.isOnDisk { unlink(note) }
        endNote()
    }

    func keepNote() {
        guard let note = note.withLock(\.self) else { return }
        keepsNote.withLock { $0 = true }
        unsettled.keep(note)
    }

    private func endNote() {
        keepsNote.withLock { $0 = false }
        let ended = note.withLock { note in
            defer { note = nil }
            return note
        }
        if let ended { unsettled.release(ended) }
    }

    func discard() async {
        guard !keepsNote.withLock(\.self) else { return }
        // A small file is removed at once; freeing the blocks of a large one can be slow.
        guard known.withLock({ $0?.extent ?? .max }) >= DiskStagedBlob.largeSize else { return remove() }
        // The pool drops the jobs of a cancelled task, and the name must be removed all the same.
        let isDone = await shieldedFromCancellation { [pool] in (try? await pool.runIfActive { self.remove() }) != nil }
        if !isDone { remove() }
    }

    private func remove() {
        if let number = content.remove() {
            _ = pool.health.reported(failure(of: "unlink", number))
        }
        endNote()
    }

    private func move(to new: String) throws {
        if try content.move(to: new) { renames.withLock { $0.count += 1 } }
    }

    /// Gives the file the name of a blob, after it was created if the bytes were in memory; blocks.
    ///
    /// - Parameters:
    ///   - blob: The path of the blob.
    ///   - hasHardLinks: As for ``linkBlob(_:_:hasHardLinks:)``.
    /// - Returns: `false` if the blob's folder is on another file system, where the file can have no name.
    /// - Throws: ``ServiceError/Code/duplicateValue`` if another file has the name.
    func link(to blob: String, hasHardLinks: Bool) throws -> Bool {
        // A rename takes the path by which a closed file is opened.
        let file = try content.file()
        do {
            if try linkBlob(content.path, blob, hasHardLinks: hasHardLinks) { content.keepRenamed(file) }
        } catch let error as ServiceError where error.code == .duplicateValue {
            // Left by an earlier put that could not be undone, or by a power cut during this commit on a file system
            // that stored the new name and not the removal of the old one.
            guard try isFile(at: blob) else { throw error }
        } catch let error as ServiceError where (error.cause as? SyscallError)?.number == EXDEV {
            return false
        }
        return true
    }
}
