import Foundation
import GRDB
import Support
import Testing

@testable import SQLiteStore

/// A database as an earlier version of the server wrote it (Fixtures/README.md).
struct Fixture: CustomTestStringConvertible {
    /// The number of the version of the schema.
    let version: Int

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

    /// One of each version of the schema, in their order.
    static let all: [Fixture] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let versions = names.compactMap { name -> Int? in
            let parts = name.split(separator: ".")
            guard parts.count == 2, parts[0].hasPrefix("v"), ["sql", "sqlite"].contains(parts[1]) else { return nil }
            return Int(parts[0].dropFirst())
        }
        return versions.sorted().map { Fixture(version: $0) }
    }()

    var testDescription: String { "v\(version)" }

    /// Runs a body with the path of a copy that no process has open.
    func withFile(_ body: (String) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let file = Fixture.folder.appending(path: "v\(version).sqlite").path
            if FileManager.default.fileExists(atPath: file) {
                try FileManager.default.copyItem(atPath: file, toPath: path)
            } else {
                let text = try String(contentsOf: Fixture.folder.appending(path: "v\(version).sql"), encoding: .utf8)
                let database = try DatabaseQueue(path: path)
                try await database.writeWithoutTransaction { db in
                    try db.execute(sql: "PRAGMA journal_mode = WAL")
                    try db.execute(sql: text)
                }
                try database.close()
            }
            try await body(path)
        }
    }

    /// Runs a body with a copy that was opened, and so migrated; also passes its path.
    func withDatabase(_ body: (SQLiteDatabase, String) async throws -> Void) async throws {
        try await withFile { path in
            let database = try SQLiteDatabase(path: path)
            try await body(database, path)
            try database.close()
        }
    }
}
