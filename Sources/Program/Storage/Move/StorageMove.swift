package import Domain

/// Moves the objects of all apps of a storage folder from their files to PostgreSQL, or back; blobs stay in the folder.
///
/// For commands: it blocks. The marker decides which database an app has: it is written when the schema is complete,
/// and removed when the file is. So a move that was cut off at any moment is finished by the next one, or by the next
/// one in the other direction.
///
/// Copies can be made before, beside a server (``Extent/copy``); the move then writes only what has changed since.
package struct StorageMove {
    /// Where the objects go.
    package enum Direction: Sendable {
        /// Into a schema for each app.
        case toPostgres
        /// Into a file in the folder of each app.
        case toFiles
    }

    /// How much of a move is done.
    package enum Extent: Sendable {
        /// The copy and the switch; no server uses the folder.
        case move
        /// A copy of the objects at the moment, beside a server; nothing is switched.
        case copy
    }

    /// What was done for an app.
    package enum Outcome: Sendable, Equatable {
        /// The objects were copied, compared, and are in use; with their number.
        case moved(objects: Int)
        /// The objects at the moment were copied and compared, and nothing was switched; with their number.
        case copied(objects: Int)
        /// The objects had been moved before.
        case done
    }

    private let storage: String
    private let direction: Direction
    private let extent: Extent
    private let engine: any MoveEngine
    private let report: (String) -> Void
    private let adopt: (_ folder: String, _ id: String) throws -> Void

    /// Creates a move.
    ///
    /// - Parameters:
    ///   - storage: The folder.
    ///   - direction: Where the objects go.
    ///   - extent: Whether they are only copied.
    ///   - engine: Reads and writes databases.
    ///   - adopt: Is called with an app's folder and the id of its schema before the switch to PostgreSQL: blobs in a
    ///     bucket then also belong to the schema.
    ///   - report: Hears of what an operator should know.
    package init(
        of storage: String,
        _ direction: Direction,
        _ extent: Extent = .move,
        with engine: any MoveEngine,
        adopting adopt: @escaping (_ folder: String, _ id: String) throws -> Void = { _, _ in },
        report: @escaping (String) -> Void
    ) {
        self.storage = StorageContents.trimmed(storage)
        self.direction = direction
        self.extent = extent
        self.engine = engine
        self.adopt = adopt
        self.report = report
    }

    /// Moves one app after the other.
    ///
    /// - Parameter body: Hears of each app as soon as it is done.
    /// - Throws: ``ExitError``; the apps before stay moved.
    package func run(_ body: (_ app: String, Outcome) -> Void) throws {
        guard extent == .move else {
            try StorageFolder.refuseUnfinishedRestore(in: storage)
            return try runAlone(body)
        }
        // A server that starts meanwhile refuses to.
        let folder = try StorageFolder.locking(existing: storage)
        defer { withExtendedLifetime(folder.path) {} }
        try runAlone(body)
    }

    private func runAlone(_ body: (_ app: String, Outcome) -> Void) throws {
        let apps = try StorageFolder.apps(in: storage, withDatabase: engine.databaseName)
        let lock = try MoveLock(of: storage)
        defer { withExtendedLifetime(lock.id) {} }
        for app in apps { body("\(app)", try move(app, copyID: "copy-\(lock.id)")) }
    }

    private func move(_ app: AppID, copyID: String) throws -> Outcome {
        let move = AppMove(folder: "\(storage)/\(app)", copyID: copyID, engine: engine, adopt: adopt, report: report)
        switch (direction, try DatabaseMarker.read(in: move.folder), extent) {
        case (.toPostgres, nil, .move): return try move.toPostgres(DatabaseMarker.schema(of: app))
        case (.toPostgres, nil, .copy): return try move.copyToPostgres(DatabaseMarker.schema(of: app))
        case (.toFiles, let marker?, .move): return try move.toFile(from: marker)
        case (.toFiles, let marker?, .copy): return try move.copyToFile(from: marker)
        case (.toPostgres, _, .move):
            try move.clearFiles()
            return .done
        case (_, _, _): return .done
        }
    }
}
