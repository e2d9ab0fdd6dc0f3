package import Domain
internal import PostgresStore
internal import SQLiteStore
internal import Storage

/// The access of a move to files of SQLite and to schemas of one PostgreSQL database.
package struct DatabaseMoves: MoveEngine {
    /// The file of the database.
    package var databaseName: String { FolderEngine.fileName }
    private let url: Secret

    /// Creates an engine; connects nothing.
    ///
    /// - Parameter url: The address of the PostgreSQL database (`database.url`).
    /// - Throws: ``ExitError`` if it is empty.
    package init(url: Secret) throws {
        guard !url.revealed.isEmpty else {
            throw ExitError.configuration("database.url is missing (--config, LCFILE_DATABASE_URL)")
        }
        self.url = url
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

    /// Checks the pages of the file, and reads it.
    package func readFile<Result>(_ path: String, _ body: (any DumpSource) throws -> Result) throws -> Result {
        let copy = try DatabaseCopy(reading: path)
        let result = try body(copy)
        try copy.close()
        return result
    }

    /// Loads into a file (`DatabaseLoad`).
    package func newFile(_ path: String) -> any DumpTarget {
        DatabaseLoad(creating: path)
    }

    /// Looks for classes (`PostgresLoad`).
    package func isFilled(_ schema: String) throws -> Bool {
        try PostgresLoad(into: address(schema)).isFilled()
    }

    /// Reads the id that was made with the tables.
    package func id(of schema: String) throws -> String {
        try PostgresDump(of: address(schema)).id()
    }

    /// Reads one snapshot (`PostgresDump`).
    package func readSchema<Result>(_ schema: String, _ body: (any DumpSource) throws -> Result) throws -> Result {
        try body(PostgresDump(of: address(schema)))
    }

    /// Loads into a schema (`PostgresLoad`).
    package func newSchema(_ schema: String) -> any DumpTarget {
        PostgresLoad(into: address(schema))
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
