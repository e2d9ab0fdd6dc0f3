/// Where one app's blobs are kept: written once, never changed.
///
/// The disk implements it; tests have one in memory; both pass one contract suite.
package protocol BlobStore: Sendable {
    /// Changes when bytes that were written and not synced may have been lost: with each boot of the machine.
    var bootID: String { get }

    /// Begins a blob that nobody can see until it is committed, and that ends with the server.
    func stage() async throws -> any StagedBlob

    /// Opens the bytes staged under a name, or begins with none; they outlive the server.
    func stage(as name: ObjectID) async throws -> any StagedBlob

    /// What a dead server left behind, and no ``stage()`` of this one made.
    func leftovers() async throws -> [StagingLeftover]

    /// Cleans up after a commit for a file that was cut off.
    ///
    /// If the file's record is there, the blob stays, else it goes. Bytes that were staged under the file's id and do
    /// not become a blob may be kept so.
    func settle(_ file: ObjectID, isCommitted: Bool, keepingBytes isKept: Bool) async throws

    /// Opens a committed blob, or returns nothing if there is none. Never shows a partial blob.
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

/// What was staged when a server died.
package enum StagingLeftover: Sendable, Hashable {
    /// Bytes that were staged under a name.
    case staged(ObjectID)
    /// A commit for a file that began; whether the blob is there cannot be told.
    case committing(ObjectID)
}
