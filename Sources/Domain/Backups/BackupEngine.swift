/// Where the databases and blobs of apps are, as a backup and a restore see them: in one folder for each app.
///
/// Every call blocks; it is for commands, never for the cooperative pool.
package protocol BackupEngine: Sendable {
    /// The name that a database has in an app's folder: a folder with it is an app's.
    var databaseName: String { get }

    /// Copies an app's database as it is at one moment, whether a server has it open or not.
    ///
    /// Writers to the original do not wait for this. Uploads on their way and the deletion queue are not copied,
    /// because a backup has no bytes of either.
    ///
    /// - Parameters:
    ///   - original: The app's folder; it is only read.
    ///   - folder: The folder of the copy, which must exist and have no database.
    /// - Returns: The copy, checked and brought up to date unless it is damaged (``CopiedDatabase/damage``).
    /// - Throws: ``OpenFailure`` about the original. With ``OpenFailure/isDamage`` not even its pages could be listed,
    ///   and what was made of the copy can be removed.
    func copyDatabase(of original: String, to folder: String) throws(OpenFailure) -> any CopiedDatabase

    /// Opens the database of a backup for reading, after a check of its pages; changes nothing.
    ///
    /// - Throws: ``OpenFailure``, also if its pages are damaged.
    func openDatabase(in folder: String) throws(OpenFailure) -> any CopiedDatabase

    /// Compares the blobs in an app's folder with what their records say, several at a time.
    ///
    /// - Parameters:
    ///   - files: The records.
    ///   - folder: The app's folder; it is only read.
    ///   - comparingDigests: Whether all bytes are read and compared with the digests, or only the sizes.
    /// - Returns: The condition of each file's blob, in the same order.
    /// - Throws: What keeps the folder from being read, and not what is wrong with a blob.
    func check(_ files: [FileEntry], in folder: String, comparingDigests: Bool) throws -> [BlobCondition]

    /// Begins to copy blobs between the folders of two apps, of which no server uses the second.
    ///
    /// - Throws: When a folder cannot be made or synced.
    func blobCopier(from source: String, to target: String, comparingDigests: Bool) throws -> any BlobCopier
}

/// A database that no server writes: the copy that a backup or a restore makes, or the one in a backup.
package protocol CopiedDatabase: Sendable {
    /// What is wrong with the pages of a copy that was made, or `nil` if they are sound.
    ///
    /// It continues "the database …". A damaged copy holds the pages as they are, and can only be read.
    var damage: String? { get }

    /// Calls the body with all file records, some hundred at a time, in the order in which they were made, those that
    /// cannot be read apart.
    ///
    /// The body may ``forget(_:_:)`` records.
    ///
    /// - Throws: ``OpenFailure`` if records cannot be read, and what the body throws.
    func forEachPage(_ body: ([FileEntry], [UnreadableRecord]) throws -> Void) throws

    /// Whether the original of a copy still has a record, now; yes if that cannot be told.
    func originalHas(_ file: FileEntry) -> Bool

    /// Removes records, and what relations say of them.
    func forget(_ files: [FileEntry], _ broken: [UnreadableRecord]) throws(OpenFailure)

    /// Closes it; later calls throw. A copy is on the disk then, its name when its folder is synced.
    func close() throws(OpenFailure)
}

/// Copies blobs; used by one thread at a time.
package protocol BlobCopier {
    /// Copies the blobs of files, several at a time.
    ///
    /// The bytes of each that is whole are on the disk on return; of another nothing is left.
    ///
    /// - Returns: The condition of each file's blob, in the same order.
    /// - Throws: When nothing can be written.
    mutating func copy(_ files: [FileEntry]) throws -> [BlobCondition]

    /// Returns when the names of all copies are on the disk; nothing counts as copied before.
    func synchronize() throws
}
