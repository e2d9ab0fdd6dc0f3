/// The bytes of files in the trash: the part of a blob store that frees a key and keeps its bytes.
///
/// Bytes in the trash are found by the id of their entry, which is never used again. So a key can get a new blob while
/// the bytes of the file that had it before wait in the trash, and neither is ever taken for the other.
package protocol BlobTrash: Sendable {
    /// Moves blobs from their keys to the trash.
    ///
    /// The bytes have their new name, durably, before they lose the old one. A blob that is not there was moved before;
    /// that is not an error, so a move that was interrupted can be repeated.
    ///
    /// - Parameter blobs: Any number of blobs; one that cannot be moved does not prevent the others.
    /// - Returns: For each blob, in order, the error because of which it can still have its key, or `nil`.
    /// - Throws: `CancellationError` in a cancelled task; some of the blobs can be moved by then.
    func moveToTrash(_ blobs: [TrashedBlob]) async throws -> [(any Error)?]

    /// Gives bytes in the trash their key again; on return, the name survives a power cut.
    ///
    /// A store that can give bytes two names also leaves them in the trash. ``moveToTrash(_:)`` reverts the call,
    /// ``removeFromTrash(_:)`` completes it.
    ///
    /// - Returns: Whether the trash had the bytes, or the key has them already.
    /// - Throws: ``ServiceError/Code/duplicateValue`` if the key has another blob, which stays; errors of the storage.
    func restore(_ blob: TrashedBlob) async throws -> Bool

    /// Opens bytes in the trash, which stay there.
    ///
    /// - Parameter entry: The id of the entry.
    /// - Returns: The bytes; `nil` if there are none.
    /// - Throws: ``ServiceError/unreadable(_:)`` if they exist and cannot be opened.
    func open(trashed entry: ObjectID) async throws -> (any OpenBlob)?

    /// Removes bytes from the trash; missing ones are not an error, and blobs with keys stay.
    ///
    /// - Parameter entries: The ids of the entries.
    /// - Returns: For each entry, in order, the error because of which its bytes are still there, or `nil`.
    /// - Throws: `CancellationError` in a cancelled task; some of them can be removed by then.
    func removeFromTrash(_ entries: [ObjectID]) async throws -> [(any Error)?]
}

/// The bytes of one file in the trash.
package struct TrashedBlob: Sendable, Hashable {
    /// The id of the entry in the trash, by which the bytes are found there.
    package let entry: ObjectID
    /// The blob that the file has or had.
    package let blob: FileBlob
    /// The key that the file had.
    package var key: FileKey { blob.key }

    /// Creates the value.
    package init(entry: ObjectID, blob: FileBlob) {
        self.entry = entry
        self.blob = blob
    }

    /// Creates the value for a file that has its own blob; without its id, for any file that has the key.
    package init(entry: ObjectID, key: FileKey, file: ObjectID? = nil) {
        self.init(entry: entry, blob: FileBlob(key: key, file: file))
    }
}
