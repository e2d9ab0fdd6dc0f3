package import NIOCore

/// The bytes of an upload before they are a blob.
///
/// Several writers can write at the same time, each at its own offset; all other functions are called by one task at a
/// time, while no writer writes.
package protocol StagedBlob: Sendable {
    /// Throws ``ServiceError/Code/storageFull`` if there is no space for this number of bytes now, before the client
    /// sends them.
    func requireFreeSpace(for size: Int64) async throws

    /// The offset after the last byte; gaps count.
    func extent() async throws -> Int64

    /// The ranges that have bytes; what is between them is a gap.
    ///
    /// - Parameter recorded: Ranges that were written for certain: a file system can show zeros among them as a gap.
    /// - Returns: The ranges. They can have more bytes than were written, zeros, because a disk has whole blocks.
    /// - Throws: Errors of the storage.
    func ranges(recorded: RangeSet<Int64>) async throws -> RangeSet<Int64>

    /// Begins to write at an offset from the first byte; existing bytes there are overwritten.
    ///
    /// The digests cover the bytes of this writer.
    ///
    /// - Parameters:
    ///   - offset: The offset of the first byte.
    ///   - order: Decides between writers of several servers: where their bytes overlap, those of the larger order are
    ///     the current ones, whenever they arrive. `nil` is behind all bytes that are there. An area of one server can
    ///     ignore it, because the locks of that server let one writer begin after the other has ended.
    ///   - digests: The digests to compute.
    /// - Returns: The writer.
    func write(at offset: Int64, order: Int?, digesting digests: Set<DigestKind>) -> any BlobWriter

    /// Up to `count` bytes; fewer only at the end.
    func read(at offset: Int64, count: Int) async throws -> ByteBuffer

    /// Opens the current bytes for reading; they stay readable after ``discard()``.
    func open() async throws -> any OpenBlob

    /// Moves bytes that are in memory until their commit to the storage, syncs and closes them, for a request that stages
    /// more of them.
    func writeOut() async throws

    /// Whether ``close()`` needs no sync.
    var isSynced: Bool { get }

    /// Closes bytes that no request uses, after a sync of those that lack it; the next use opens them again.
    ///
    /// Does nothing while a writer writes, and throws as ``synchronize()``.
    func close() async throws

    /// Syncs the written bytes and the note of a commit to the disk.
    ///
    /// Once it has failed, it fails in every later call on this value: a repeated sync can succeed although bytes are
    /// lost. They can be staged again through a new value of the same name.
    func synchronize() async throws

    /// Truncates the bytes to `size` and returns their facts; MD5 of a large file only if it is needed.
    ///
    /// Throws ``ServiceError/Code/storageFailing`` if there are fewer bytes.
    func finish(size: Int64, needsMD5: Bool) async throws -> StagedFacts

    /// Notes in the journal that the finished bytes become a blob, so that a start finds their file and blob.
    ///
    /// The note is in the journal, and survives a power cut, at the latest when ``synchronize()`` returns, or when a blob
    /// on the same file system does. The bytes are then found by ``StagingArea/reopen(_:)``, not by their name. Until
    /// then, the bytes and the note of one request can be in memory alone; a kill leaves neither.
    ///
    /// An earlier note of the same blob ends. In a shared area, that of another blob stays undecided: it is of an ended
    /// upload with the same id. In other areas there is none, because the announcement of the new upload decides it.
    func noteCommit(as blob: BlobName, of file: ObjectID) async throws

    /// Throws ``ServiceError/Code/overloaded`` if another server can have reverted the noted commit, because it took this
    /// one for ended.
    ///
    /// Called last before the record of a commit that neither a lease nor a claim protects.
    func requireOwnCommit() throws

    /// Removes the note: the bytes are staged as before. Called when the blob does not exist.
    ///
    /// Works in a cancelled task as well.
    func cancelCommit() async throws

    /// Makes ``discard()`` do nothing until the next note, so that ``StagingArea/unsettled()`` finds this one, and the
    /// next start does if it is in the journal.
    ///
    /// Called when it is unknown whether the blob or its record exists. Without a note it does nothing.
    func keepNote()

    /// Removes the staged bytes and the note of their commit; a stored blob stays. Works in a cancelled task as well.
    ///
    /// If that fails, ``StagingArea/unsettled()`` and the next start try again.
    func discard() async

    /// Does the same, unless another upload has got the name of the bytes and needs them.
    ///
    /// A shared area removes only bytes that were there before it asked: what another server stages later stays.
    ///
    /// - Parameter isNeeded: Whether there is an upload with the name whose bytes are needed; if it throws, the bytes stay.
    func discard(unless isNeeded: @escaping @Sendable () async throws -> Bool) async
}

extension StagedBlob {
    package func writeOut() async throws {}

    package var isSynced: Bool { true }

    package func close() async throws {}

    package func requireOwnCommit() throws {}

    package func discard(unless isNeeded: @escaping @Sendable () async throws -> Bool) async {
        guard (try? await isNeeded()) == false else { return }
        await discard()
    }

    /// Begins to write behind all bytes that are there, at an offset.
    package func write(at offset: Int64, digesting digests: Set<DigestKind>) -> any BlobWriter {
        write(at: offset, order: nil, digesting: digests)
    }
}

/// Writes bytes in order; used by one task at a time.
package protocol BlobWriter: Sendable {
    /// Adds bytes at the end.
    ///
    /// Can return before they are written; a failed write is then reported at the next call. Throws
    /// ``ServiceError/Code/storageFull`` when there is no free space.
    func append(_ bytes: ByteBuffer) async throws

    /// Writes the buffered bytes, and returns the requested digests.
    ///
    /// Few bytes of one request can stay in memory until their commit, which then reports the faults of the storage.
    /// More bytes can be added afterwards; later digests cover all of them.
    func finish() async throws -> [DigestKind: [UInt8]]

    /// Drops the buffered bytes and waits for running writes, also in a cancelled task.
    func settle() async
}

/// A digest that clients announce.
package enum DigestKind: String, Sendable, Hashable, CaseIterable {
    case crc32
    case md5
    case sha1
    case sha256
}

/// Finished staged bytes before their commit.
package struct StagedFacts: Sendable {
    /// Size and digests of all bytes.
    package let blob: BlobFacts
    /// The first bytes, up to ``headSize``, for detecting the type.
    package let head: ByteBuffer

    /// The number of first bytes from which types are detected.
    package static let headSize = 64 << 10

    /// Creates the facts that a staging area computed.
    package init(blob: BlobFacts, head: ByteBuffer) {
        self.blob = blob
        self.head = head
    }
}
