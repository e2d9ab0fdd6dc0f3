internal import Domain
internal import PostgresStore
internal import SQLiteStore
internal import Storage

/// The database of an app whose objects are in PostgreSQL, as `lcfile check` reads it: a snapshot in a temporary file of
/// SQLite, which has the temporary tables of a comparison, and PostgreSQL itself for second looks.
///
/// The file takes as much space in the folder for temporary files (`TemporaryFolder`) as the objects do. Pages and rows
/// are not compared with checksums: PostgreSQL does that with each page that it reads (`data_checksums`).
struct SnapshotCheck: CheckedDatabase {
    private let snapshot: DatabaseCheck
    private let current: PostgresFiles
    private let scratch: ScratchFolder

    /// The number of names that are read at a time.
    private static let pageSize = 10_000

    /// Copies the objects of the schema with an id; servers can use it meanwhile.
    ///
    /// - Parameters:
    ///   - address: The schema.
    ///   - id: Its id.
    ///   - folder: The app's folder.
    ///   - classes: The classes whose objects are copied; `nil` for all.
    /// - Throws: ``OpenFailure``.
    init(
        of address: PostgresAddress,
        id: String,
        app folder: String,
        classes: Set<ClassName>? = nil
    ) throws(OpenFailure) {
        do {
            scratch = try ScratchFolder(forApp: folder)
        } catch {
            throw OpenFailure(message: "cannot be copied (\(error))")
        }
        do {
            let path = "\(scratch.path)/\(FolderEngine.fileName)"
            try DatabaseLoad(into: path).loadAll(of: PostgresDump(of: address, id: id, classes: classes))
            snapshot = try DatabaseCheck(path: path, repairing: false)
            current = PostgresFiles(of: address)
        } catch {
            scratch.remove()
            throw error as? OpenFailure ?? OpenFailure(message: "cannot be copied (\(error))")
        }
    }

    func pageDamage(comparingIndexes: Bool) -> [String] { [] }

    func hasReadableRows() -> Bool { true }

    /// Does nothing: no index was found to be damaged.
    func rebuildIndexes() {}

    func listFiles(_ progress: (Int) -> Void) throws -> FileTotals { try snapshot.listFiles(progress) }

    func files(beginningWith byte: UInt8) throws -> [NamedFile] { try snapshot.files(beginningWith: byte) }

    func damagedFiles(limit: Int) throws -> Set<ObjectID> { try snapshot.damagedFiles(limit: limit) }

    func noteUnnamed(_ blobs: [BlobName]) throws { try snapshot.noteUnnamed(blobs) }

    func unnamed(after name: BlobName?, limit: Int) throws -> [BlobName] {
        try snapshot.unnamed(after: name, limit: limit)
    }

    func forEachDanglingReference(_ body: (DanglingReference) throws -> Void) throws {
        try snapshot.forEachDanglingReference(body)
    }

    func usage() throws -> (stored: Usage, counted: Usage) { try snapshot.usage() }

    func forEachTrashPage(_ body: ([FileEntry], [UnreadableRecord]) throws -> Void) throws {
        try snapshot.forEachTrashPage(body)
    }

    func files(ofEntries entries: [ObjectID]) throws -> [ObjectID: ObjectID] { try snapshot.files(ofEntries: entries) }

    func has(_ file: FileEntry) throws -> Bool { try current.key(of: file.id) == file.key }

    func uploads(_ ids: [ObjectID]) throws -> Set<ObjectID> { try current.existing(ids, in: [.upload]) }

    func hasTrashEntry(_ id: ObjectID) throws -> Bool { try !current.existing([id], in: [.trash]).isEmpty }

    func isMovingToTrash(_ id: ObjectID) throws -> Bool { try !current.existing([id], in: [.deletion]).isEmpty }

    func withoutTrashEntry(_ ids: [ObjectID]) throws -> [ObjectID] {
        let known = try current.existing(ids, in: [.trash, .deletion])
        return ids.filter { !known.contains($0) }
    }

    func dropNamed(besides notes: [BlobName]) throws {
        var candidates: Set<BlobName> = []
        var last: BlobName?
        while case let page = try snapshot.unnamed(after: last, limit: SnapshotCheck.pageSize), let end = page.last {
            candidates.formUnion(page)
            last = end
        }
        guard !candidates.isEmpty else { return }
        var named = notes
        // In the order in which a deletion moves a key from one to the other.
        for name in [ClassName.file, .deletion] {
            try current.forEachKey(in: name) { key in
                let blob = BlobName(key)
                if candidates.contains(blob) { named.append(blob) }
            }
        }
        try snapshot.dropNamed(besides: named)
    }

    func close() throws(OpenFailure) {
        current.close()
        defer { scratch.remove() }
        try snapshot.close()
    }
}
