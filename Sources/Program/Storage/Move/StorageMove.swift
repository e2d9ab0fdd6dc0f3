package import Domain

/// Moves the objects of all apps of a storage folder from their files to PostgreSQL, or back; blobs stay in the folder.
///
/// For commands: it blocks. The marker decides which database an app has: it is written when the schema is complete,
/// and removed when the file is. So a move that was cut off at any moment is finished by the next one, or by the next
/// one in the other direction.
package struct StorageMove {
    /// Where the objects go.
    package enum Direction: Sendable {
        /// Into a schema for each app.
        case toPostgres
        /// Into a file in the folder of each app.
        case toFiles
    }

    /// What was done for an app.
    package enum Outcome: Sendable, Equatable {
        /// The objects were copied, compared, and are in use; with their number.
        case moved(objects: Int)
        /// The objects had been moved before.
        case done
    }

    private let storage: String
    private let direction: Direction
    private let engine: any MoveEngine
    private let report: (String) -> Void

    /// Creates a move.
    ///
    /// - Parameters:
    ///   - storage: The folder; no server uses it.
    ///   - direction: Where the objects go.
    ///   - engine: Reads and writes databases.
    ///   - report: Hears of what an operator should know.
    package init(
        of storage: String,
        _ direction: Direction,
        with engine: any MoveEngine,
        report: @escaping (String) -> Void
    ) {
        self.storage = StorageContents.trimmed(storage)
        self.direction = direction
        self.engine = engine
        self.report = report
    }

    /// Moves one app after the other.
    ///
    /// - Parameter body: Hears of each app as soon as it is done.
    /// - Throws: ``ExitError``; the apps before stay moved.
    package func run(_ body: (_ app: String, Outcome) -> Void) throws {
        guard StorageContents.exists(storage) else {
            throw ExitError.storage("the storage folder \(storage) does not exist")
        }
        // A server that starts meanwhile refuses to.
        let folder = try StorageFolder(path: storage)
        defer { withExtendedLifetime(folder.path) {} }
        try folder.refuseUnfinishedRestore()
        let apps = try apps()
        guard !apps.isEmpty else { throw ExitError.storage("the storage folder \(storage) contains no app") }
        try BlobMarker.requireFolders(of: apps.map(\.description), in: storage)
        for app in apps { body("\(app)", try move(app)) }
    }

    /// The apps with a database.
    private func apps() throws -> [AppID] {
        try StorageContents.names(in: storage).sorted().compactMap { name in
            guard try StorageContents.hasDatabase(in: "\(storage)/\(name)", named: engine.databaseName) else {
                return nil
            }
            return AppID(name)
        }
    }

    private func move(_ app: AppID) throws -> Outcome {
        let move = AppMove(folder: "\(storage)/\(app)", engine: engine, report: report)
        switch (direction, try DatabaseMarker.read(in: move.folder)) {
        case (.toPostgres, nil): return try move.toPostgres(DatabaseMarker.schema(of: app))
        case (.toFiles, let marker?): return try move.toFile(from: marker)
        case (.toPostgres, _):
            try move.clearFiles()
            return .done
        case (.toFiles, nil): return .done
        }
    }
}
