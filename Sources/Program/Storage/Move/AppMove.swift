internal import Domain
internal import Glibc

/// Moves the objects of one app, or copies them before; no other move of the storage folder runs.
struct AppMove {
    /// The app's folder.
    let folder: String
    /// The id of a schema that is a copy of this storage.
    let copyID: String
    let engine: any MoveEngine
    let adopt: (_ folder: String, _ id: String) throws -> Void
    let report: (String) -> Void

    /// The path of its database file.
    private var file: String { "\(folder)/\(engine.databaseName)" }

    /// The end of the name of a file that is not complete yet.
    private static let draft = ".partial"
    /// The end of the name of a file with the objects of an earlier moment.
    private static let copy = ".copy"
    /// The end of the name of a file that no server uses any more, before the time.
    private static let former = ".moved-"

    /// Moves the objects of the file; the marker is the switch.
    func toPostgres(_ schema: String) throws -> StorageMove.Outcome {
        try sayingWhere(file) {
            try engine.settle(in: folder)
            guard try !StorageContents.isPresent("\(file)-wal") else {
                throw OpenFailure(message: "has a write-ahead log that cannot be written into it")
            }
        }
        let tally = try readingFile(for: schema) { source in
            if try isCopy(schema) { return try engine.schema(schema, markedAs: nil).updateAll(to: source) }
            guard try engine.isFilled(schema) else {
                return try engine.schema(schema, markedAs: nil).loadAll(of: source)
            }
            return try compare(source, with: schema)
        }
        let id = try sayingWhere(schema: schema) { try engine.id(of: schema) }
        try adopt(folder, id)
        try DatabaseMarker(schema: schema, id: id).write(in: folder)
        try setFileAside()
        return .moved(objects: tally.rows)
    }

    /// Copies the objects of the file at the moment, or what has changed since the last copy.
    func copyToPostgres(_ schema: String) throws -> StorageMove.Outcome {
        try sayingWhere(file) {
            // Without a server, SQLite would treat the intact part of the log as the whole.
            if let damage = try engine.certainLogDamage(in: folder) { throw OpenFailure(message: damage.advice) }
        }
        let tally = try readingFile(for: schema) { source in
            let target = engine.schema(schema, markedAs: copyID)
            if try isCopy(schema) { return try target.updateAll(to: source) }
            guard try !engine.isFilled(schema) else {
                let reason = "is not empty and not a copy of this storage"
                throw OpenFailure(message: "\(reason); \(AppMove.advice(about: schema))")
            }
            return try target.loadAll(of: source)
        }
        return .copied(objects: tally.rows)
    }

    /// Reads the file; failures of the body are about the schema.
    private func readingFile(for schema: String, _ body: (any DumpSource) throws -> DumpTally) throws -> DumpTally {
        try sayingWhere(file) {
            try engine.readFile(file) { source in
                let source = PlacedSource(source: source, place: "the database \(file)")
                return try sayingWhere(schema: schema) { try body(source) }
            }
        }
    }

    private func isCopy(_ schema: String) throws -> Bool {
        try engine.isFilled(schema) && engine.id(of: schema) == copyID
    }

    /// A move that ended before the marker has left a complete schema.
    private func compare(_ source: any DumpSource, with schema: String) throws -> DumpTally {
        let tally = try DumpTally(of: source)
        do {
            try engine.readSchema(schema) { try tally.requireEqual(DumpTally(of: $0)) }
        } catch let failure as OpenFailure {
            throw OpenFailure(message: "is not empty and \(failure.message); \(AppMove.advice(about: schema))")
        }
        return tally
    }

    private static func advice(about schema: String) -> String {
        "if no server uses it and its objects are not needed, remove it: DROP SCHEMA \"\(schema)\" CASCADE"
    }

    /// Moves the objects of a schema; the end of the marker is the switch.
    func toFile(from marker: DatabaseMarker) throws -> StorageMove.Outcome {
        try requireSchema(of: marker)
        try clearFiles()
        let schema = marker.schema
        var rows = 0
        let retired = "\(schema.prefix(40))_moved_\(Timestamp.now().wholeSeconds)"
        let obstacle = try sayingWhere(schema: schema) {
            try engine.retireSchema(schema, as: retired) { source in
                rows = try fillCopy(from: source, schema)
                try StorageContents.rename(file + AppMove.copy, to: file)
                try StorageContents.synchronize(folder)
                try DatabaseMarker.remove(in: folder)
            }
        }
        if let obstacle {
            report("the schema \(schema) \(obstacle); no server must use it any more")
        } else {
            report("the former schema of \(folder) is \(retired); remove it when you do not need it any more")
        }
        return .moved(objects: rows)
    }

    /// Copies the objects of the schema at the moment, or what has changed since the last copy.
    func copyToFile(from marker: DatabaseMarker) throws -> StorageMove.Outcome {
        try requireSchema(of: marker)
        try remove(file + AppMove.draft)
        let rows = try sayingWhere(schema: marker.schema) {
            try engine.readSchema(marker.schema) { try fillCopy(from: $0, marker.schema) }
        }
        return .copied(objects: rows)
    }

    private func requireSchema(of marker: DatabaseMarker) throws {
        let schema = marker.schema
        guard try sayingWhere(schema: schema, { try engine.id(of: schema) }) == marker.id else {
            throw ExitError.storage(
                "\(AppMove.place(ofSchema: schema)) is not that of \(folder)/\(DatabaseMarker.name): it was created anew, "
                    + "or is of another storage"
            )
        }
    }

    /// Gives the copy the objects of a schema; it gets its name when it is complete.
    ///
    /// - Returns: The number of objects.
    private func fillCopy(from source: any DumpSource, _ schema: String) throws -> Int {
        let source = PlacedSource(source: source, place: AppMove.place(ofSchema: schema))
        let copy = file + AppMove.copy
        if try StorageContents.isPresent(copy) {
            return try sayingWhere(copy) { try engine.file(copy).updateAll(to: source).rows }
        }
        // A journal without its file would be applied to the next one of that name.
        try remove(copy)
        let draft = file + AppMove.draft
        let rows = try sayingWhere(file) { try engine.file(draft).loadAll(of: source).rows }
        try StorageContents.rename(draft, to: copy)
        try StorageContents.synchronize(folder)
        return rows
    }

    /// Puts aside what moves of an app with a marker left when they were cut off: a file that is older than the schema
    /// or complete, but not in use; and one that is incomplete.
    func clearFiles() throws {
        try setFileAside()
        try remove(file + AppMove.draft)
    }

    /// Removes a database file that no server uses, if there is one, with its journal.
    private func remove(_ path: String) throws {
        for end in ["", "-journal"] where try StorageContents.isPresent(path + end) {
            try StorageContents.remove(path + end)
        }
    }

    /// Gives a file that the app no longer has a name that no server opens; the operator removes it.
    private func setFileAside() throws {
        guard try StorageContents.isPresent(file) else { return }
        var seconds = Timestamp.now().wholeSeconds
        while try StorageContents.isPresent("\(file)\(AppMove.former)\(seconds)") { seconds += 1 }
        let path = "\(file)\(AppMove.former)\(seconds)"
        try StorageContents.rename(file, to: path)
        try StorageContents.synchronize(folder)
        report("the former database is \(path); remove it when you do not need it any more")
    }

    private static func place(ofSchema schema: String) -> String { "the schema \(schema) of the PostgreSQL database" }

    /// Converts the errors of the adapters to messages for the operator; the innermost names the place.
    private func sayingWhere<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as OpenFailure {
            throw ExitError.storage("the database \(path) \(failure.message)")
        }
    }

    private func sayingWhere<Result>(schema: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as OpenFailure {
            throw ExitError.storage("\(AppMove.place(ofSchema: schema)) \(failure.message)")
        }
    }
}

/// A dump whose own failures name the database, so that they are not taken for those of the target that reads it.
private struct PlacedSource: DumpSource {
    let source: any DumpSource
    let place: String

    func forEachItem(_ body: (DumpItem) throws -> Void) throws {
        var isOfBody = false
        do {
            try source.forEachItem { item in
                do {
                    try body(item)
                } catch {
                    isOfBody = true
                    throw error
                }
            }
        } catch let failure as OpenFailure where !isOfBody {
            throw ExitError.storage("\(place) \(failure.message)")
        }
    }
}
