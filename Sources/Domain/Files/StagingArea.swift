/// The storage of one app's uploads until they are blobs, and the journal of commits.
///
/// Bytes are written and read at any offset. A commit begins with a note in the journal, stored with the bytes, and
/// ends when they are discarded; so a start finds the commits that the end of a server interrupted. The disk implements
/// it; tests have one in memory; both pass one contract suite.
package protocol StagingArea: Sendable {
    /// The id of the machine's boot; a change means that written bytes without a sync can be lost.
    var bootID: String { get }

    /// Whether other servers write to it, too; `false` unless the area says otherwise.
    var isShared: Bool { get }

    /// Creates staged bytes that end with the server.
    func stage() async throws -> any StagedBlob

    /// Opens or creates the staged bytes with a name; they outlive the server.
    func stage(as name: ObjectID) async throws -> any StagedBlob

    /// The staged bytes and commits of a server that has ended; without those of ``stage()`` of this one.
    func leftovers() async throws -> [StagingLeftover]

    /// The commits of this server that are undecided (``StagedBlob/keepNote()``), those of uploads included.
    ///
    /// ``stage(as:)`` finds the bytes of such an upload. Also tries again to remove the bytes whose removal failed, but not
    /// those of another upload that got the name of an ended one since.
    ///
    /// - Parameter isUnfinished: Whether there is an upload with a name whose bytes are needed.
    /// - Returns: The commits.
    /// - Throws: Errors of the storage; those of the closure leave the bytes where they are.
    func unsettled(
        besides isUnfinished: @escaping @Sendable (ObjectID) async throws -> Bool
    ) async throws -> [CommitNote]

    /// The undecided commits of this server (``StagedBlob/keepNote()``) for an upload or a file with the id, of its parts
    /// and of single requests; asks no storage.
    func undecidedCommits(of upload: ObjectID) -> [CommitNote]

    /// Opens the bytes of a commit that was interrupted; `nil` if the journal has no such note any more.
    func reopen(_ note: CommitNote) async throws -> (any StagedBlob)?
}

extension StagingArea {
    package var isShared: Bool { false }

    /// The undecided commits of this server, if no upload is unfinished.
    package func unsettled() async throws -> [CommitNote] { try await unsettled { _ in false } }
}

/// Staged bytes or a commit that a server left when it ended.
package enum StagingLeftover: Sendable, Hashable {
    /// Bytes that were staged under a name.
    case staged(ObjectID)
    /// A commit that began; it is unknown whether the blob exists.
    case committing(CommitNote)
}

/// A note that staged bytes become a blob.
package struct CommitNote: Sendable, Hashable {
    /// The file of the blob.
    package let file: ObjectID
    /// The blob.
    package let blob: BlobName
    /// Whether the bytes were staged without a name, so that they are useless if the commit is reverted.
    package let isDraft: Bool

    /// Creates a note from the journal's values.
    package init(file: ObjectID, blob: BlobName, isDraft: Bool) {
        self.file = file
        self.blob = blob
        self.isDraft = isDraft
    }
}
