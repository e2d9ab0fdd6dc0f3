/// Where the bytes of one app's uploads are until they are blobs, and the journal of commits.
///
/// Bytes are written and read at any offset. A commit begins with a note in the journal, stored with the bytes, and ends
/// when they are discarded; so a start finds the commits that the end of a server interrupted. The disk implements it;
/// tests have one in memory; both pass one contract suite.
package protocol StagingArea: Sendable {
    /// Changes when bytes that were written and not synced may have been lost: with each boot of the machine.
    var bootID: String { get }

    /// Begins bytes that end with the server.
    func stage() async throws -> any StagedBlob

    /// Opens the bytes staged under a name, or begins with none; they outlive the server.
    func stage(as name: ObjectID) async throws -> any StagedBlob

    /// What a dead server left behind, and no ``stage()`` of this one made.
    func leftovers() async throws -> [StagingLeftover]

    /// Opens the bytes of a commit that was interrupted; nil if the journal has no such note any more.
    func reopen(_ note: CommitNote) async throws -> (any StagedBlob)?
}

/// What was staged when a server died.
package enum StagingLeftover: Sendable, Hashable {
    /// Bytes that were staged under a name.
    case staged(ObjectID)
    /// A commit that began; whether the blob is there cannot be told.
    case committing(CommitNote)
}

/// A note that staged bytes become a blob.
package struct CommitNote: Sendable, Hashable {
    /// The file that the blob is for.
    package let file: ObjectID
    /// The blob.
    package let blob: BlobName
    /// Whether the bytes were staged without a name, so that they are of no use if the commit is undone.
    package let isDraft: Bool

    /// Takes what the journal says.
    package init(file: ObjectID, blob: BlobName, isDraft: Bool) {
        self.file = file
        self.blob = blob
        self.isDraft = isDraft
    }
}
