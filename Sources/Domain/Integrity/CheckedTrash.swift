/// The entries of the trash in the database of an app, as a check reads them.
///
/// A file is in them with the id of its entry.
package protocol CheckedTrashEntries: Sendable {
    /// Calls the body with all files with bytes in the trash, some thousand at a time; entries that cannot be read are
    /// passed separately.
    ///
    /// - Throws: ``OpenFailure`` if entries cannot be read, and errors of the body.
    func forEachTrashPage(_ body: ([FileEntry], [UnreadableRecord]) throws -> Void) throws

    /// The ids that the files of some entries had.
    ///
    /// - Parameter entries: At most a few hundred entries.
    /// - Returns: The ids by those of the entries that exist.
    /// - Throws: ``OpenFailure`` if entries cannot be read.
    func files(ofEntries entries: [ObjectID]) throws -> [ObjectID: ObjectID]

    /// Whether an entry exists.
    func hasTrashEntry(_ id: ObjectID) throws -> Bool

    /// Whether the deletion queue has a row of an entry: the bytes can be at the key of the file.
    func isMovingToTrash(_ id: ObjectID) throws -> Bool

    /// Those of some ids that neither an entry nor a row of the deletion queue has, at one moment.
    func withoutTrashEntry(_ ids: [ObjectID]) throws -> [ObjectID]
}

/// The bytes in the trash of an app's folder, as a check reads them.
///
/// Every call blocks.
package protocol CheckedTrashBytes: Sendable {
    /// The names in the folder of the bytes whose entries' ids end with a byte.
    func trashNames(endingWith byte: UInt8) throws -> TrashFolderNames

    /// Compares bytes in the trash with their records, several at a time; returns their conditions in the same order.
    ///
    /// The size is always compared; for the digest all bytes are read.
    func check(trashed files: [FileEntry], comparingDigests: Bool) throws -> [BlobCondition]

    /// Whether there are bytes of an entry.
    func hasTrashed(_ entry: ObjectID) -> Bool

    /// Moves bytes that no entry names to `lost+found`; changes the folder. Returns their path there.
    func moveToLostAndFound(trashed entry: ObjectID) throws -> String
}

/// The names in one folder of the trash.
package struct TrashFolderNames: Sendable {
    /// The entries whose bytes these are.
    package var entries: [ObjectID] = []
    /// The paths, in the app's folder, of what are no bytes of an entry; up to a thousand.
    package var foreign: [String] = []

    /// Creates an empty list.
    package init() {}
}
