package import NIOCore

/// Bytes on their way in.
///
/// Several writers may write at the same time, each at an offset of its own; everything else is called by one task at a
/// time, while nobody writes.
package protocol StagedBlob: Sendable {
    /// Throws ``ServiceError/Code/storageFull`` if there is no space for so many bytes now, so that it is told before
    /// they are sent.
    func requireFreeSpace(for size: Int64) async throws

    /// How far the bytes reach, gaps among them.
    func extent() async throws -> Int64

    /// Begins to write at an offset, counted from the first byte; what stands there is overwritten.
    ///
    /// The digests are of the bytes that this writer takes.
    func write(at offset: Int64, digesting digests: Set<DigestKind>) -> any BlobWriter

    /// Up to `count` bytes; fewer only at the end.
    func read(at offset: Int64, count: Int) async throws -> ByteBuffer

    /// The bytes as they are now, open for reading, also after ``discard()``.
    func open() async throws -> any OpenBlob

    /// Returns when everything written is on the disk, and the note of a commit.
    func synchronize() async throws

    /// Cuts off what is behind `size` and tells what the bytes before it are; MD5 of a large file only if it is needed.
    ///
    /// Throws ``ServiceError/Code/storageFailing`` if the bytes do not reach as far.
    func finish(size: Int64, needsMD5: Bool) async throws -> StagedFacts

    /// Notes in the journal that the finished bytes become a blob: from now on a start finds by the note which file they
    /// are for, and which blob that is.
    ///
    /// The note survives a power cut at the latest when ``synchronize()`` returns, or when a blob on the same file
    /// system does. The bytes are then found by ``StagingArea/reopen(_:)``, not by their name.
    func noteCommit(as blob: BlobName, of file: ObjectID) async throws

    /// Removes the note: the bytes are staged as before. Called when the blob is not there.
    ///
    /// Works in a cancelled task as well.
    func cancelCommit() async throws

    /// Lets ``discard()`` do nothing until the next note, so that the next start finds this one.
    ///
    /// Called when it cannot be told whether the blob is there.
    func keepNote()

    /// Removes the staged bytes and the note of their commit; a stored blob stays. Works in a cancelled task as well.
    func discard() async
}

/// Takes bytes in order; used by one task at a time.
package protocol BlobWriter: Sendable {
    /// Adds bytes at the end.
    ///
    /// May return before they are written, and then reports a failed write at the next call. Throws
    /// ``ServiceError/Code/storageFull`` when there is no free space.
    func append(_ bytes: ByteBuffer) async throws

    /// Writes what is still held back, and tells the digests that were asked for.
    ///
    /// More may be added afterwards; digests are then of all of it.
    func finish() async throws -> [DigestKind: [UInt8]]

    /// Drops what is held back, and returns when nothing is being written any more, also in a cancelled task.
    func settle() async
}

/// A digest that clients announce.
package enum DigestKind: String, Sendable, Hashable, CaseIterable {
    case crc32
    case md5
    case sha1
    case sha256
}

/// A finished, uncommitted blob.
package struct StagedFacts: Sendable {
    /// Size and digests of all bytes.
    package let blob: BlobFacts
    /// The first bytes, up to ``headSize``, to tell the type from.
    package let head: ByteBuffer

    /// How many first bytes types are told from.
    package static let headSize = 64 << 10

    /// Takes what a store found.
    package init(blob: BlobFacts, head: ByteBuffer) {
        self.blob = blob
        self.head = head
    }
}
