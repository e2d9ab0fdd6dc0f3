/// The access of a move to both databases that an app can have: a file in its folder, and a schema in PostgreSQL.
///
/// Every call blocks and throws ``OpenFailure``; bodies can throw other errors, which are passed on.
package protocol MoveEngine: LogInspection {
    /// The name of the file in an app's folder.
    var databaseName: String { get }

    /// Makes the file in a folder plain and current, with all that was committed, as a start and a clean stop of a
    /// server do.
    ///
    /// - Throws: ``OpenFailure`` also if committed changes are missing.
    func settle(in folder: String) throws

    /// Reads a file; a server can use it meanwhile.
    func readFile<Result>(_ path: String, _ body: (any DumpSource) throws -> Result) throws -> Result

    /// A file that does not exist yet, or has the items of an earlier dump.
    func file(_ path: String) -> any DumpTarget

    /// Whether a schema contains objects or classes.
    func isFilled(_ schema: String) throws -> Bool

    /// The id of a schema: that of a copy, or a random one, which a schema that was created anew does not have.
    func id(of schema: String) throws -> String

    /// Reads a schema; servers can use it meanwhile.
    func readSchema<Result>(_ schema: String, _ body: (any DumpSource) throws -> Result) throws -> Result

    /// A schema without objects, which is created if it does not exist, or one with the items of an earlier dump.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - copy: The id that marks it as a copy, which no server uses; `nil` for one that a server will use.
    /// - Returns: The schema; nothing is connected.
    func schema(_ schema: String, markedAs copy: String?) -> any DumpTarget

    /// Reads a schema while no server can change it, and then gives it another name, so that none does afterwards.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - name: The other name.
    ///   - body: Makes what it reads the app's database.
    /// - Returns: The reason if the schema could not be renamed.
    /// - Throws: ``OpenFailure``, and errors of the body, after which nothing is renamed.
    func retireSchema(_ schema: String, as name: String, _ body: (any DumpSource) throws -> Void) throws -> OpenFailure?
}
