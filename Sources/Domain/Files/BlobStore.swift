package import NIOCore

/// Where one app's blobs are kept: written once, never changed.
///
/// The disk implements it; tests have one in memory; both pass one contract suite.
package protocol BlobStore: Sendable {
    /// Begins a blob that nobody can see until it is committed.
    func stage() async throws -> any StagedBlob

    /// Opens a committed blob, or returns nothing if there is none. Never shows a partial blob.
    func open(_ key: FileKey) async throws -> (any OpenBlob)?

    /// Removes a blob; removing one that is not there is no error. Those who have it open can still read it.
    func remove(_ key: FileKey) async throws
}

/// Bytes on their way in.
///
/// Used by one task at a time; calls come in order.
package protocol StagedBlob: Sendable {
    /// Adds bytes at the end.
    ///
    /// May return before they are written, and then reports a failed write at the next call. Throws
    /// ``ServiceError/Code/storageFull`` when there is no room.
    func append(_ bytes: ByteBuffer) async throws

    /// Writes what is still held back and tells what the bytes are.
    func finish() async throws -> StagedFacts

    /// Makes the finished blob visible under its key; on return, bytes and name survive a power cut.
    ///
    /// Throws if the key is taken; nothing is ever overwritten.
    func commit(as key: FileKey) async throws

    /// Removes the staged bytes; after a commit it does nothing.
    func discard() async
}

/// A finished, uncommitted blob.
package struct StagedFacts: Sendable {
    /// Size and digests of all bytes.
    package let blob: BlobFacts
    /// The first bytes, up to 64 KiB, to tell the type from.
    package let head: ByteBuffer

    /// Takes what a store found while writing.
    package init(blob: BlobFacts, head: ByteBuffer) {
        self.blob = blob
        self.head = head
    }
}

/// A committed blob, open for reading; it closes when the last reference to it goes.
package protocol OpenBlob: Sendable {
    /// In bytes.
    var size: Int64 { get }

    /// A descriptor open for reading as long as this value lives, for the kernel's own ways to copy; nothing if the
    /// bytes are not in a file. Its offset is nobody's: read by position.
    var descriptor: CInt? { get }

    /// Up to `count` bytes from `offset`; fewer only at the end.
    func read(at offset: Int64, count: Int) async throws -> ByteBuffer
}
