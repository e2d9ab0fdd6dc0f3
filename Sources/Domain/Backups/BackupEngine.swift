/// The access of a backup and a restore to the databases and blobs of apps, in one folder for each app.
///
/// Every call blocks; it is for commands, never for the cooperative pool.
package protocol BackupEngine: LogInspection {
    /// The name of the database in an app's folder; a folder that contains it is an app's folder.
    var databaseName: String { get }

    /// Copies the state of an app's database at one moment, whether or not a server has it open.
    ///
    /// Writers to the original do not wait for the copy. Unfinished uploads and the deletion queue are not copied,
    /// because a backup has no bytes of either.
    ///
    /// - Parameters:
    ///   - original: The app's folder; it is only read.
    ///   - folder: The folder of the copy, which must exist and have no database.
    /// - Returns: The copy, checked and migrated unless it is damaged (``CopiedDatabase/damage``).
    /// - Throws: ``OpenFailure`` about the original. With ``OpenFailure/isDamage`` its pages could not even be listed,
    ///   and the partial copy can be removed.
    func copyDatabase(of original: String, to folder: String) throws(OpenFailure) -> any CopiedDatabase

    /// Opens the database of a backup read-only, after a check of its pages.
    ///
    /// - Throws: ``OpenFailure``, also if its pages are damaged.
    func openDatabase(in folder: String) throws(OpenFailure) -> any CopiedDatabase

    /// Applies a segment of the continuous backup to the database in a folder: to a base, and the segments before this
    /// one; it is not open elsewhere.
    ///
    /// The database is a plain file then, not synced; ``copyDatabase(of:to:)`` makes a copy for use, and checks it.
    ///
    /// - Parameters:
    ///   - path: The file of the segment.
    ///   - folder: The folder with the database.
    ///   - link: The end of the chain before the segment.
    /// - Returns: The end of the chain after it.
    /// - Throws: ``SegmentDefect``, before a byte is changed; ``OpenFailure`` if a file cannot be read or written.
    func replay(segmentAt path: String, onto folder: String, after link: SegmentLink) throws -> SegmentLink

    /// Compares the blobs in an app's folder with their records, several at a time.
    ///
    /// - Parameters:
    ///   - files: The records.
    ///   - folder: The app's folder; it is only read.
    ///   - comparingDigests: Whether all bytes are read and compared with the digests, or only the sizes.
    /// - Returns: The condition of each file's blob, in the same order.
    /// - Throws: Errors of reading the folder; defects of a blob are part of the result.
    func check(_ files: [FileEntry], in folder: String, comparingDigests: Bool) throws -> [BlobCondition]

    /// Begins to copy blobs between the folders of two apps; no server uses the second.
    ///
    /// - Throws: An error if a folder cannot be created or synced.
    func blobCopier(from source: String, to target: String, comparingDigests: Bool) throws -> any BlobCopier

    /// Stores the blobs of files in a repository, several at a time; their bytes are compared with the digests before.
    ///
    /// - Parameters:
    ///   - files: The records.
    ///   - folder: The app's folder; it is only read.
    ///   - target: The repository.
    ///   - layout: The names in it.
    /// - Returns: The condition of each file's blob, in the same order. Only whole blobs are in the repository then.
    /// - Throws: ``BackupTargetFailure``, and errors of reading the folder.
    func upload(
        _ files: [FileEntry],
        in folder: String,
        to target: any BackupTarget,
        layout: BackupLayout
    ) throws -> [BlobCondition]

    /// Whether a repository has the blob of one of the files already.
    ///
    /// - Throws: ``BackupTargetFailure``.
    func has(anyOf files: [FileEntry], in target: any BackupTarget, layout: BackupLayout) throws -> Bool

    /// Reads the blobs of files in a repository, several at a time, and compares their bytes with the digests.
    ///
    /// - Parameters:
    ///   - files: The records.
    ///   - target: The repository.
    ///   - layout: The names in it.
    ///   - folder: A folder for temporary files.
    /// - Returns: The condition of each file's blob, in the same order.
    /// - Throws: ``BackupTargetFailure``, and errors of the temporary files.
    func check(
        _ files: [FileEntry],
        in target: any BackupTarget,
        layout: BackupLayout,
        through folder: String
    ) throws -> [BlobCondition]

    /// Reads objects of a repository to files, several at a time.
    ///
    /// - Parameters:
    ///   - names: The objects.
    ///   - target: The repository.
    ///   - folder: The folder of the files, whose names are the indices of the objects: `0`, `1` and so on.
    /// - Throws: ``BackupTargetFailure``, also if an object is missing; some files can exist then.
    func fetch(_ names: [String], in target: any BackupTarget, to folder: String) throws

    /// Begins to copy blobs from a repository to the folder of an app; no server uses it.
    ///
    /// - Throws: An error if a folder cannot be created or synced.
    func blobFetcher(
        from target: any BackupTarget,
        layout: BackupLayout,
        to folder: String,
        comparingDigests: Bool
    ) throws -> any BlobCopier
}

/// A database that no server writes: the copy of a backup or a restore, or the one in a backup.
package protocol CopiedDatabase: Sendable {
    /// The damage to the pages of a copy or to its list of classes, or `nil` if they are intact.
    ///
    /// It continues "the database …". A damaged copy can only be read.
    var damage: String? { get }

    /// Calls the body with all file records in order of creation, some hundred at a time; unreadable records are passed
    /// separately.
    ///
    /// The body can ``forget(_:_:)`` records.
    ///
    /// - Throws: ``OpenFailure`` if records cannot be read, and errors of the body.
    func forEachPage(_ body: ([FileEntry], [UnreadableRecord]) throws -> Void) throws

    /// Calls the body with each row that does not match its checksum. A copy contains such rows as they are, so a server
    /// on it does not serve them.
    ///
    /// - Throws: ``OpenFailure`` if rows cannot be read, and errors of the body.
    func forEachDamagedRow(_ body: (DamagedRow) throws -> Void) throws

    /// Whether the original of a copy currently has a record; `true` if it is unknown.
    func originalHas(_ file: FileEntry) -> Bool

    /// Deletes records and their memberships in relations.
    func forget(_ files: [FileEntry], _ broken: [UnreadableRecord]) throws(OpenFailure)

    /// Closes the database; later calls throw.
    ///
    /// A copy is then synced to the disk; its name is synced with its folder.
    func close() throws(OpenFailure)
}

/// Copies blobs; used by one thread at a time.
package protocol BlobCopier {
    /// Copies the blobs of files, several at a time.
    ///
    /// When it returns, the bytes of each intact blob are on the disk; damaged blobs leave no copy.
    ///
    /// - Returns: The condition of each file's blob, in the same order.
    /// - Throws: An error if writing fails.
    mutating func copy(_ files: [FileEntry]) throws -> [BlobCondition]

    /// Syncs the names of all copies to the disk; before that, no copy counts.
    func synchronize() throws
}
