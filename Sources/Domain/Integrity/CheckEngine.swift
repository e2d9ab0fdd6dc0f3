/// The access of `lcfile check` to the databases and blobs of apps, in one folder for each app.
///
/// A server can run on the folder, except during a repair. Every call blocks; it is for commands, never for the
/// cooperative pool.
package protocol CheckEngine: LogInspection {
    /// The name of the database in an app's folder; a folder that contains it is an app's folder.
    var databaseName: String { get }

    /// Opens the database of an app.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - repairing: Whether it can be changed; otherwise it is only read, and a server does not notice.
    /// - Returns: The open database.
    /// - Throws: ``OpenFailure``.
    func openDatabase(in folder: String, repairing: Bool) throws(OpenFailure) -> any CheckedDatabase

    /// Gives the damaged write-ahead log of a database that contains all of it (``DamagedLog/copied``) another name; no
    /// server uses the folder.
    ///
    /// - Returns: The new path.
    /// - Throws: ``OpenFailure``.
    func moveLogAside(in folder: String) throws(OpenFailure) -> String

    /// The files in an app's folder; opens nothing.
    func blobs(in folder: String) -> any CheckedBlobs

    /// Stores the usage of an app's files and uploads; no server uses the folder.
    ///
    /// - Throws: ``OpenFailure`` and errors of the store.
    func correctUsage(in folder: String, to usage: Usage) async throws

    /// The rows of an app with their checksums; they are only read.
    ///
    /// - Throws: ``OpenFailure``.
    func rows(in folder: String) throws(OpenFailure) -> any RowInspection

    /// The rows of an app for a repair; no server uses the folder.
    ///
    /// - Throws: ``OpenFailure``.
    func rowRepair(in folder: String) throws(OpenFailure) -> any RowRepair
}

/// The database of an app, as a check reads it.
///
/// It holds no state of the database for longer than a page of rows, so that the log of a running server does not grow.
package protocol CheckedDatabase: CheckedTrashEntries {
    /// What SQLite finds wrong, one description for each fault, which continues "the database …"; empty if all is whole.
    ///
    /// - Parameter comparingIndexes: Whether indexes are compared with rows (`integrity_check`), which takes long, or only
    ///   the pages are checked (`quick_check`). While a damaged row is no JSON, only the pages can be checked.
    /// - Returns: The descriptions, at most a hundred.
    /// - Throws: ``OpenFailure`` for errors that are no damage.
    func pageDamage(comparingIndexes: Bool) throws(OpenFailure) -> [String]

    /// Whether all rows can be read without an index: then only indexes are damaged.
    func hasReadableRows() -> Bool

    /// Lists the files with bytes, in a temporary table; the first step of a comparison.
    ///
    /// - Parameter progress: Called with the number of records so far.
    /// - Returns: The totals.
    /// - Throws: ``OpenFailure`` if records cannot be read.
    func listFiles(_ progress: (Int) -> Void) throws -> FileTotals

    /// The listed files whose blobs' names begin with a byte, in ascending order of these names.
    func files(beginningWith byte: UInt8) throws -> [NamedFile]

    /// The files whose blobs a server recorded as damaged, up to a limit.
    func damagedFiles(limit: Int) throws -> Set<ObjectID>

    /// Whether a record still is in the database, with the same key.
    func has(_ file: FileEntry) throws -> Bool

    /// Records blobs that no listed record names.
    func noteUnnamed(_ blobs: [BlobName]) throws

    /// Drops the recorded blobs that a record, a row of the deletion queue or one of these notes names now.
    func dropNamed(besides notes: [BlobName]) throws

    /// The recorded blobs in ascending order, behind a name.
    func unnamed(after name: BlobName?, limit: Int) throws -> [BlobName]

    /// Calls the body with each object that refers to files which do not exist.
    func forEachDanglingReference(_ body: (DanglingReference) throws -> Void) throws

    /// The ids, of those given, that unfinished uploads have.
    func uploads(_ ids: [ObjectID]) throws -> Set<ObjectID>

    /// The usage that is stored, and that of the files and uploads, at one moment.
    func usage() throws -> (stored: Usage, counted: Usage)

    /// Rebuilds all indexes from the rows, or none of them.
    ///
    /// - Throws: ``OpenFailure`` if the rows do not fit an index. Its ``OpenFailure/isDamage`` is true if the pages of an
    ///   index are damaged so far that it cannot be emptied, and if a damaged row is no JSON.
    func rebuildIndexes() throws(OpenFailure)

    /// Closes the database; later calls throw.
    func close() throws(OpenFailure)
}

/// What the listing of an app's files found.
package struct FileTotals: Sendable {
    /// The number of files with bytes.
    package var files = 0
    /// The sum of their sizes in bytes.
    package var bytes: Int64 = 0
    /// The records that cannot be read, up to a thousand.
    package var unreadable: [UnreadableRecord] = []

    /// Creates totals of zero.
    package init() {}
}

/// An object that refers to a file which does not exist, by a value or as a member of a relation.
package struct DanglingReference: Sendable, Hashable {
    /// The class of the object.
    package let className: String
    /// The object.
    package let object: String
    /// The file.
    package let file: ObjectID
    /// The key of the relation; `nil` for a value.
    package let relation: String?

    /// Creates the value.
    package init(className: String, object: String, file: ObjectID, relation: String? = nil) {
        self.className = className
        self.object = object
        self.file = file
        self.relation = relation
    }
}
