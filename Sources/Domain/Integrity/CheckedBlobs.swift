/// The files in an app's folder besides the database, as a check reads them.
///
/// Every call blocks. Only the methods that say so change anything.
package protocol CheckedBlobs: CheckedTrashBytes {
    /// The names in the folder of the blobs whose names begin with a byte.
    func names(beginningWith byte: UInt8) throws -> BlobFolderNames

    /// Compares blobs with their records, several at a time; returns their conditions in the same order.
    ///
    /// The size is always compared; for the digest all bytes are read.
    func check(_ files: [FileEntry], comparingDigests: Bool) throws -> [BlobCondition]

    /// Whether a blob is there.
    func has(_ blob: BlobName) -> Bool

    /// The names of staged files.
    func staged() throws -> StagedNames

    /// Calls the body with the path, in the app's folder, of each derivative that is not whole.
    ///
    /// - Parameters:
    ///   - comparingDigests: Whether all bytes are read, or only the trailers.
    ///   - body: Receives the path.
    /// - Throws: Errors of reading the folder, and errors of the body.
    func forEachBrokenDerivative(comparingDigests: Bool, _ body: (String) throws -> Void) throws

    /// The state of the scrubber of the server; `nil` if it has none, or if it cannot be read.
    func scrubState() -> ScrubState?

    /// Names files for the scrubber of a server, which reads them next.
    ///
    /// - Returns: Whether the names are stored; they are not in a folder that no server with a scrubber has used, or that
    ///   cannot be written.
    func noteSuspects(_ ids: [ObjectID]) -> Bool

    /// Moves a blob that no record names to `lost+found`; changes the folder. Returns its path there.
    func moveToLostAndFound(_ blob: BlobName) throws -> String

    /// Whether a put still has not ended.
    func isUnended(_ put: UnendedPut) throws -> Bool

    /// Ends a put that no server ends any more: moves its bytes to `lost+found`, and removes its claim; changes the store.
    ///
    /// - Returns: The path of the bytes there; `nil` if it had none.
    func abandon(_ put: UnendedPut) throws -> String?

    /// Removes all bytes under the name of a blob, whichever files they are of, and claims; changes the folder.
    ///
    /// For a store that no server uses.
    func removeAll(of blob: BlobName) throws

    /// Moves a staged file to `lost+found`; changes the folder. Returns its path there.
    func moveToLostAndFound(staged name: String) throws -> String

    /// Removes a derivative; changes the folder.
    func removeDerivative(_ path: String) throws
}

/// The names in one folder of blobs.
package struct BlobFolderNames: Sendable {
    /// The blobs, in ascending order.
    package var blobs: [BlobName] = []
    /// The puts that have begun and not ended, in ascending order of their blobs; none in a folder, which one server has.
    package var puts: [UnendedPut] = []
    /// The blobs of these puts, in ascending order.
    package var claimed: [BlobName] { Set(puts.map(\.blob)).sorted() }
    /// The paths, in the app's folder, of what is no blob; up to a thousand.
    package var foreign: [String] = []

    /// Creates an empty list.
    package init() {}
}

/// The names in the folder of staged files.
package struct StagedNames: Sendable {
    /// Commits that began; the next start of a server ends them.
    package var notes: [CommitNote] = []
    /// Bytes of uploads with their names, and the ids of the uploads.
    package var uploads: [(name: String, id: ObjectID)] = []
    /// Bytes of single requests, and copies that were cut off.
    package var drafts: [String] = []
    /// Names that lcfile does not make.
    package var foreign: [String] = []
    /// The names of those above that were not written to for a day, so no request uses them any more.
    package var old: Set<String> = []

    /// Creates an empty list.
    package init() {}
}
