internal import DiskBlobs
package import Domain
internal import SQLiteStore

/// The backup engine for apps with an SQLite database and blobs in one folder.
package struct FolderEngine: BackupEngine {
    /// The file of the database.
    package let databaseName = "lcfile.sqlite"

    /// Creates an engine; opens nothing.
    package init() {}

    /// Copies the database's pages (``DatabaseCopy``).
    package func copyDatabase(of original: String, to folder: String) throws(OpenFailure) -> any CopiedDatabase {
        try DatabaseCopy(of: "\(original)/\(databaseName)", at: "\(folder)/\(databaseName)")
    }

    /// Opens the file of a backup.
    package func openDatabase(in folder: String) throws(OpenFailure) -> any CopiedDatabase {
        try DatabaseCopy(reading: "\(folder)/\(databaseName)")
    }

    /// Writes the pages of a segment into the file (``SegmentReplay``).
    package func replay(segmentAt path: String, onto folder: String, after link: SegmentLink) throws -> SegmentLink {
        try SegmentReplay.apply(path, to: "\(folder)/\(databaseName)", after: link)
    }

    /// Reads the files of blobs (``BlobSource``).
    package func check(_ files: [FileEntry], in folder: String, comparingDigests: Bool) throws -> [BlobCondition] {
        try BlobSource(folder: folder).check(files, comparingDigests: comparingDigests)
    }

    /// Copies the files of blobs (``BlobCopy``).
    package func blobCopier(
        from source: String,
        to target: String,
        comparingDigests: Bool
    ) throws -> any BlobCopier {
        try BlobCopy(from: BlobSource(folder: source), to: target, comparingDigests: comparingDigests)
    }

    /// Stores the files of blobs (``BlobRepository``).
    package func upload(
        _ files: [FileEntry],
        in folder: String,
        to target: any BackupTarget,
        layout: BackupLayout
    ) throws -> [BlobCondition] {
        try BlobRepository(target: target, layout: layout).upload(files, from: BlobSource(folder: folder))
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
