package import Domain
internal import PostgresStore
internal import S3Blobs
internal import SQLiteStore
internal import Storage

/// The access of a move to files of SQLite and to schemas of one PostgreSQL database.
package struct DatabaseMoves: MoveEngine {
    /// The file of the database.
    package var databaseName: String { FolderEngine.fileName }
    private let url: Secret
    private let buckets: BucketAccess

    /// Creates an engine; connects nothing.
    ///
    /// - Parameters:
    ///   - url: The address of the PostgreSQL database (`database.url`).
    ///   - blobs: The settings of the bucket, for apps whose blobs are in one.
    /// - Throws: ``ExitError`` if the address is empty.
    package init(url: Secret, blobs: BlobConfiguration = BlobConfiguration()) throws {
        guard !url.revealed.isEmpty else {
            throw ExitError.configuration("database.url is missing (--config, LCFILE_DATABASE_URL)")
        }
        self.url = url
        buckets = BucketAccess { blobs }
    }

    /// Notes in the bucket of an app, if it has one, that its blobs also belong to a schema.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - id: The id of the schema.
    /// - Throws: ``ExitError`` if the bucket is that of another storage, or fails.
    package func adopt(_ folder: String, _ id: String) throws {
        guard let bucket = try buckets.bucket(of: folder) else { return }
        let owners = bucket.owners
        do {
            let ids = try owners.read() ?? []
            if !ids.contains(id) { try owners.write(ids + [id]) }
        } catch {
            throw ExitError.storage("the bucket of \(folder) (blobs.store): \(error)")
        }
    }

    /// Opens the file as a server does, and ends its write-ahead log.
    package func settle(in folder: String) throws {
        let path = "\(folder)/\(databaseName)"
        let database = try SQLiteDatabase(path: path)
        do {
            try database.close()
        } catch {
            throw OpenFailure(message: "cannot be closed (\(error))")
        }
        try DatabaseCopy.makePlain(path)
    }

    /// Compares the write-ahead log of the file with its mark (``FolderEngine``).
    package func logDamage(in folder: String) throws(OpenFailure) -> DamagedLog? {
        try FolderEngine(databaseURL: { [url] in url }).logDamage(in: folder)
    }

    /// Checks the pages of the file, and reads one snapshot (`DatabaseCopy`).
    package func readFile<Result>(_ path: String, _ body: (any DumpSource) throws -> Result) throws -> Result {
        let copy = try DatabaseCopy(reading: path)
        let result = try body(copy)
        try copy.close()
        return result
    }

    /// Writes a file (`DatabaseLoad`).
    package func file(_ path: String) -> any DumpTarget {
        DatabaseLoad(into: path)
    }

    /// Looks for classes (`PostgresLoad`).
    package func isFilled(_ schema: String) throws -> Bool {
        try PostgresLoad(into: address(schema)).isFilled()
    }

    /// Reads the id that was made with the tables, or by a load.
    package func id(of schema: String) throws -> String {
        try PostgresDump(of: address(schema)).id()
    }

    /// Reads one snapshot (`PostgresDump`).
    package func readSchema<Result>(_ schema: String, _ body: (any DumpSource) throws -> Result) throws -> Result {
        try body(PostgresDump(of: address(schema)))
    }

    /// Writes a schema (`PostgresLoad`).
    package func schema(_ schema: String, markedAs copy: String?) -> any DumpTarget {
        PostgresLoad(into: address(schema), markedAs: copy)
    }

    /// Holds the turn while the body runs (`PostgresDump`).
    package func retireSchema(
        _ schema: String,
        as name: String,
        _ body: (any DumpSource) throws -> Void
    ) throws -> OpenFailure? {
        let dump = try PostgresDump(of: address(schema), holdingTurn: true)
        try body(dump)
        do {
            try dump.retire(as: name)
            return nil
        } catch let failure as OpenFailure {
            return failure
        }
    }

    private func address(_ schema: String) -> PostgresAddress {
        PostgresAddress(url: url.revealed, schema: schema, applicationName: "lcfile migrate")
    }
}
