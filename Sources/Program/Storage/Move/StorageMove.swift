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
    private let adopt: (_ folder: String, _ id: String) throws -> Void

    /// Creates a move.
    ///
    /// - Parameters:
    ///   - storage: The folder; no server uses it.
    ///   - direction: Where the objects go.
    ///   - engine: Reads and writes databases.
    ///   - adopt: Is called with an app's folder and the id of its schema before the switch to PostgreSQL: blobs in a
    ///     bucket then also belong to the schema.
    ///   - report: Hears of what an operator should know.
    package init(
        of storage: String,
        _ direction: Direction,
        with engine: any MoveEngine,
        adopting adopt: @escaping (_ folder: String, _ id: String) throws -> Void = { _, _ in },
        report: @escaping (String) -> Void
    ) {
        self.storage = StorageContents.trimmed(storage)
        self.direction = direction
        self.engine = engine
        self.adopt = adopt
        self.report = report
    }

    /// Moves one app after the other.
    ///
    /// - Parameter body: Hears of each app as soon as it is done.
    /// - Throws: ``ExitError``; the apps before stay moved.
    package func run(_ body: (_ app: String, Outcome) -> Void) throws {
        // A server that starts meanwhile refuses to.
        let folder = try StorageFolder.locking(existing: storage)
        defer { withExtendedLifetime(folder.path) {} }
        let lock = try MoveLock(of: storage)
        defer { withExtendedLifetime(lock.id) {} }
        for app in try folder.apps(withDatabase: engine.databaseName) { body("\(app)", try move(app)) }
    }

    private func move(_ app: AppID) throws -> Outcome {
        let move = AppMove(folder: "\(storage)/\(app)", engine: engine, adopt: adopt, report: report)
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
