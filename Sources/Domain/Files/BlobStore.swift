/// Where one app's finished blobs are stored: written once, never changed, found by key.
///
/// It need not be on this machine, and needs no more of staged bytes than ``StagedBlob`` promises. The disk implements
/// it; tests have one in memory; both pass one contract suite, each with staging of its own kind and of the other.
package protocol BlobStore: Sendable {
    /// Stores finished staged bytes under a key; on return, bytes and name survive a power cut.
    ///
    /// Readers see the whole blob or none. The bytes stay staged.
    ///
    /// A store that does not share a file system with the staging area calls ``StagedBlob/synchronize()`` first, because
    /// the note of the commit must not be lost when the blob is not.
    ///
    /// - Parameters:
    ///   - staged: The bytes, with a note of the commit.
    ///   - facts: What ``StagedBlob/finish(size:needsMD5:)`` said of them.
    ///   - key: The file's key.
    ///   - file: The file's id.
    /// - Throws: ``ServiceError/Code/duplicateValue`` if the key has a blob: that one stays, because nothing is ever
    ///   overwritten. A store that can tell that the blob is from an earlier attempt of the same put takes it instead.
    ///   ``ServiceError/Code/internalFailure`` if the store copies the bytes and they are not those of the facts. The
    ///   fault of the storage, such as ``ServiceError/Code/storageFull``. After any error but the first a blob may be
    ///   there; ``undo(_:as:of:)`` removes it.
    func put(_ staged: any StagedBlob, _ facts: BlobFacts, as key: FileKey, of file: ObjectID) async throws

    /// Removes the blob that a put of these staged bytes for this file left, if there is one; no other blob.
    ///
    /// Called by name, because the note of an interrupted commit has no key.
    ///
    /// - Throws: Why the blob may still be there.
    func undo(_ staged: any StagedBlob, as blob: BlobName, of file: ObjectID) async throws

    /// Opens a blob; nil if there is none. Never shows a partial blob.
    ///
    /// - Throws: ``ServiceError/unreadable(_:)`` if it is there and cannot be opened.
    func open(_ key: FileKey) async throws -> (any OpenBlob)?

    /// Removes blobs; removing one that is not there is no error. Those who have one open can still read it.
    ///
    /// - Parameter keys: Any number of them; one that cannot be removed does not keep the others.
    /// - Returns: For each key, in order, why its blob is still there, or nil: then it is gone, also after a power cut.
    /// - Throws: `CancellationError` in a cancelled task; some of the blobs may be removed by then.
    func remove(_ keys: [FileKey]) async throws -> [(any Error)?]
}

extension BlobStore {
    /// Removes one blob; throws why it is still there.
    package func remove(_ key: FileKey) async throws {
        for case let failure? in try await remove([key]) { throw failure }
    }
}
