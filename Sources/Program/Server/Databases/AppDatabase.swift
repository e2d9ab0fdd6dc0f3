internal import Domain
internal import Logging

/// The database with the objects of one app, and what a server does with it besides reading and changing objects.
protocol AppDatabase: Sendable {
    /// The objects.
    var store: any ObjectStore { get }

    /// The rows with their checksums, for the scrubber.
    var rows: any RowInspection { get }

    /// The uses of the cache of rows that were read by id; `nil` if this database has none.
    var cachedRows: CacheCounts? { get }

    /// The sizes in bytes of its files on this machine, by the names that the metrics give them; blocks.
    func sizes() -> [(file: String, size: Int64)]

    /// What is wrong if its file was removed or replaced since it was opened; `nil` without a file; blocks.
    func displacement() -> StorageDisplacement?

    /// Computes the checksums that rows of earlier versions lack; returns when none is left or the task is cancelled.
    func fillChecksums(of app: AppID, _ logger: Logger) async

    /// Makes captures for the continuous backup; `nil` if this database does not have one (`backup.target`).
    var capture: (@Sendable () -> any ChangeCapture)? { get }

    /// The id that was made with the tables of a database that servers can share; `nil` for a file.
    var id: String? { get }

    /// Counts the usage from the rows of files, uploads and the trash, in the place of a damaged row; blocks.
    ///
    /// - Returns: The usage; `nil` from a database without checksums, which knows no damaged row.
    /// - Throws: ``OpenFailure``.
    func countUsage() throws -> Usage?

    /// Closes the database; later calls throw.
    func close() async throws
}
