/// The store of one app's blobs: written once, never changed, found by key.
///
/// It can be on another machine, and uses no more of staged bytes than ``StagedBlob`` promises. The disk implements it;
/// tests have one in memory; both pass one contract suite, each with staging of its own kind and of the other.
package protocol BlobStore: BlobTrash {
    /// Whether several servers can use the store; `false` unless the store says otherwise.
    ///
    /// Removals and moves to the trash then leave the blob of another file under the same key, which another server can
    /// have stored since; a store of one server need not compare the file.
    var isShared: Bool { get }

    /// Stores finished staged bytes under a key; on return, bytes and name survive a power cut.
    ///
    /// Readers see the whole blob or none. The bytes stay staged.
    ///
    /// A store that does not share a file system with the staging area calls ``StagedBlob/synchronize()`` first,
    /// because the note of the commit must not be lost when the blob is not.
    ///
    /// - Parameters:
    ///   - staged: The bytes, with a note of the commit.
    ///   - facts: The result of ``StagedBlob/finish(size:needsMD5:)``.
    ///   - key: The file's key.
    ///   - file: The file's id.
    /// - Throws: ``ServiceError/Code/duplicateValue`` if the key has a blob, which stays: a blob is never overwritten.
    ///   A store that can detect that the blob is from an earlier attempt of the same put uses that blob instead.
    ///   ``ServiceError/Code/internalFailure`` if the store copies the bytes and they do not match the facts. Errors of
    ///   the storage, such as ``ServiceError/Code/storageFull``. After any error but the first a blob can exist;
    ///   ``undo(_:as:of:)`` removes it.
    func put(_ staged: any StagedBlob, _ facts: BlobFacts, as key: FileKey, of file: ObjectID) async throws

    /// Removes the blob that a put of these staged bytes for this file left, if it exists; no other blob.
    ///
    /// It takes the blob's name, because the note of an interrupted commit has no key.
    ///
    /// - Throws: The error because of which the blob can still exist.
    func undo(_ staged: any StagedBlob, as blob: BlobName, of file: ObjectID) async throws

    /// Opens a blob; `nil` if it does not exist. Never shows a partial blob.
    ///
    /// - Parameter blob: The blob. A file says that the caller has its record, so that its put has succeeded; a shared
    ///   store then finds its blob also beside what puts of others have left.
    /// - Returns: The bytes.
    /// - Throws: ``ServiceError/unreadable(_:)`` if it exists and cannot be opened.
    func open(_ blob: FileBlob) async throws -> (any OpenBlob)?

    /// A blob for clients that get it from the store themselves.
    ///
    /// - Parameter blob: As that of ``open(_:)``.
    /// - Returns: `nil` if it does not exist, or if the store sends clients nothing.
    /// - Throws: Errors of the storage.
    func remote(_ blob: FileBlob) async throws -> (any RemoteBlob)?

    /// Removes blobs; a missing blob is not an error, and open blobs stay readable.
    ///
    /// - Parameter blobs: Any number of blobs; one that cannot be removed does not prevent the removal of the others.
    /// - Returns: For each blob, in order, the error because of which its blob still exists, or `nil`: the blob is
    ///   removed, and stays removed after a power cut.
    /// - Throws: `CancellationError` in a cancelled task; some of the blobs can be removed by then.
    func remove(_ blobs: [FileBlob]) async throws -> [(any Error)?]
}

extension BlobStore {
    package var isShared: Bool { false }

    /// `nil`: clients get the bytes from the server.
    package func remote(_ blob: FileBlob) async throws -> (any RemoteBlob)? { nil }
}
