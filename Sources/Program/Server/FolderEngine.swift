internal import DiskBlobs
package import Domain
internal import Glibc
internal import PostgresStore
internal import SQLiteStore
internal import Storage

/// The backup engine for apps with blobs in one folder or in a bucket, and objects in SQLite or in PostgreSQL.
package struct FolderEngine: BackupEngine {
    /// The file of a database of SQLite.
    static let fileName = "lcfile.sqlite"

    /// The file of the database.
    package var databaseName: String { FolderEngine.fileName }
    private let databaseURL: @Sendable () throws -> Secret
    let buckets: BucketAccess

    /// Creates an engine; opens nothing.
    ///
    /// - Parameters:
    ///   - databaseURL: Reads the setting `database.url`; called only for an app whose objects are in PostgreSQL.
    ///   - blobs: Reads the settings `blobs.*`; called only for an app whose blobs are in a bucket.
    package init(
        databaseURL: @escaping @Sendable () throws -> Secret = { Secret("") },
        blobs: @escaping @Sendable () throws -> BlobConfiguration = { BlobConfiguration() }
    ) {
        self.databaseURL = databaseURL
        buckets = BucketAccess(blobs)
    }

    /// The schema with an app's objects; `nil` if they are in a file of SQLite.
    ///
    /// - Parameter folder: The app's folder.
    /// - Returns: The schema, which was not connected to.
    /// - Throws: ``OpenFailure`` if the database is not known.
    func schema(of folder: String) throws(OpenFailure) -> (address: PostgresAddress, id: String)? {
        do {
            guard let marker = try DatabaseMarker.read(in: folder) else { return nil }
            let url = try databaseURL().revealed
            guard !url.isEmpty else {
                throw OpenFailure(message: "is in PostgreSQL; set database.url (--config, LCFILE_DATABASE_URL)")
            }
            return (PostgresAddress(url: url, schema: marker.schema), marker.id)
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw OpenFailure(message: "cannot be found (\(error))")
        }
    }

    /// Throws if the objects of an app's folder are in PostgreSQL, and the server would create an empty database.
    static func refuseMoved(_ folder: String) throws {
        guard let marker = try DatabaseMarker.read(in: folder) else { return }
        throw ExitError.configuration(
            "the objects of \(folder) are in PostgreSQL, in the schema \(marker.schema): set database.url"
        )
    }

    /// Throws if an app's folder has objects in SQLite, or had: they must be moved first.
    static func refuseUnmoved(_ folder: String) throws {
        for name in [fileName, "blobs"] where access("\(folder)/\(name)", F_OK) == 0 {
            throw ExitError.storage(
                "database.url is set, and \(folder) has \(name) and no \(DatabaseMarker.name): its objects are not in "
                    + "PostgreSQL; move them with 'lcfile migrate' (docs/scale-out.md)"
            )
        }
    }

    /// Compares the write-ahead log of the file with its mark (`OfflineLog`); PostgreSQL has no log in the folder.
    package func logDamage(in folder: String) throws(OpenFailure) -> DamagedLog? {
        guard try schema(of: folder) == nil else { return nil }
        return try OfflineLog(of: "\(folder)/\(databaseName)").damage()
    }

    /// Copies the database's pages (``DatabaseCopy``), or writes the objects in PostgreSQL into a file (`PostgresCopy`).
    package func copyDatabase(of original: String, to folder: String) throws(OpenFailure) -> any CopiedDatabase {
        let path = "\(folder)/\(databaseName)"
        if let (address, id) = try schema(of: original) { return try PostgresCopy(of: address, id: id, at: path) }
        return try DatabaseCopy(of: "\(original)/\(databaseName)", at: path)
    }

    /// Opens the file of a backup.
    package func openDatabase(in folder: String) throws(OpenFailure) -> any CopiedDatabase {
        try DatabaseCopy(reading: "\(folder)/\(databaseName)")
    }

    /// Writes the pages of a segment into the file (``SegmentReplay``).
    package func replay(segmentAt path: String, onto folder: String, after link: SegmentLink) throws -> SegmentLink {
        try SegmentReplay.apply(path, to: "\(folder)/\(databaseName)", after: link)
    }

    /// Reads the files of blobs (``BlobSource``), or their objects.
    package func check(_ files: [FileEntry], in folder: String, comparingDigests: Bool) throws -> [BlobCondition] {
        if let bucket = try buckets.bucket(of: folder) {
            guard comparingDigests else { return try bucket.repository.checkSizes(files) }
            let scratch = try ScratchFolder(forApp: folder)
            defer { scratch.remove() }
            return try bucket.repository.check(files, through: scratch.path)
        }
        return try BlobSource(folder: folder, acceptsLostFolders: true).check(files, comparingDigests: comparingDigests)
    }

    /// Copies the files of blobs (``BlobCopy``), or their objects (``BlobFetch``).
    package func blobCopier(
        from source: String,
        to target: String,
        comparingDigests: Bool
    ) throws -> any BlobCopier {
        if let bucket = try buckets.bucket(of: source) {
            return try BlobFetch(from: bucket.repository, to: target, comparingDigests: comparingDigests)
        }
        return try BlobCopy(from: BlobSource(folder: source), to: target, comparingDigests: comparingDigests)
    }

    /// Stores the files or objects of blobs (``BlobRepository``).
    package func upload(
        _ files: [FileEntry],
        in folder: String,
        to target: any BackupTarget,
        layout: BackupLayout
    ) throws -> [BlobCondition] {
        let repository = BlobRepository(target: target, layout: layout)
        guard let bucket = try buckets.bucket(of: folder) else {
            return try repository.upload(files, from: BlobSource(folder: folder))
        }
        let scratch = try ScratchFolder(forApp: folder)
        defer { scratch.remove() }
        return try repository.upload(files, from: bucket.repository, through: scratch.path)
    }

    /// Looks for the objects of blobs (``BlobRepository``).
    package func has(anyOf files: [FileEntry], in target: any BackupTarget, layout: BackupLayout) throws -> Bool {
        try BlobRepository(target: target, layout: layout).has(anyOf: files)
    }

    /// Reads blobs back (``BlobRepository``).
    package func check(
        _ files: [FileEntry],
        in target: any BackupTarget,
        layout: BackupLayout,
        through folder: String
    ) throws -> [BlobCondition] {
        try BlobRepository(target: target, layout: layout).check(files, through: folder)
    }

    /// Writes the files of objects (``ObjectFetch``).
    package func fetch(_ names: [String], in target: any BackupTarget, to folder: String) throws {
        try ObjectFetch.fetch(names, from: target, to: folder)
    }

    /// Writes the files of blobs (``BlobFetch``).
    package func blobFetcher(
        from target: any BackupTarget,
        layout: BackupLayout,
        to folder: String,
        comparingDigests: Bool
    ) throws -> any BlobCopier {
        try BlobFetch(
            from: BlobRepository(target: target, layout: layout),
            to: folder,
            comparingDigests: comparingDigests
        )
    }
}
