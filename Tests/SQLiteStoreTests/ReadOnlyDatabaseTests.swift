import Domain
import Foundation
import GRDB
import Support
import Testing

@testable import SQLiteStore

/// Databases in a folder that cannot be written, such as that of a snapshot.
@Suite struct ReadOnlyDatabaseTests {
    /// Runs a body with a database of one file, copied without its log and index after a server has closed it, in a folder
    /// whose name needs escapes in a URI.
    private func withClosed(_ body: (String) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/a?b%20#c/db.sqlite"
            try FileManager.default.createDirectory(atPath: "\(folder)/a?b%20#c", withIntermediateDirectories: true)
            let database = try SQLiteDatabase(path: path)
            try await FileRecords(SQLiteObjectStore(database)).insert([Samples.record()])
            try database.close()
            for file in ["\(path)-wal", "\(path)-shm"] where FileManager.default.fileExists(atPath: file) {
                try FileManager.default.removeItem(atPath: file)
            }
            try await body(path)
        }
    }

    private func open(_ path: String) throws -> ReadOnlyDatabase {
        try ReadOnlyDatabase(path: path, DatabaseCopy.configuration(readonly: true), isFolderWritable: false)
    }

    private func files(beside path: String) throws -> [String] {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("without a log, or with an empty one, a database is read, and no file is made", arguments: [false, true])
    func withoutLog(hasEmptyLog: Bool) async throws {
        try await withClosed { path in
            if hasEmptyLog { try Data().write(to: URL(filePath: "\(path)-wal")) }
            let before = try files(beside: path)
            let database = try open(path)
            #expect(try await database.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM class_1") } == 1)
            #expect(try files(beside: path) == before)
            try database.requireUnchanged()
            try database.queue.close()
        }
    }

    @Test("a log without its index is refused with advice, and read with it")
    func log() async throws {
        try await withClosed { path in
            let server = try SQLiteDatabase(path: path)
            try await FileRecords(SQLiteObjectStore(server)).insert([Samples.record("second.jpg")])
            let beside = try open(path)
            #expect(try await beside.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM class_1") } == 2)
            try beside.queue.close()
            let copy = URL(filePath: path).deletingLastPathComponent().appending(path: "copy.sqlite").path
            for ending in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
            }
            let failure = #expect(throws: OpenFailure.self) { try open(copy) }
            #expect(failure?.message.contains("copy the folder, with the file '-wal'") == true)
            try server.close()
        }
    }

    @Test("a file that changes while it is read without locks is no source of a copy")
    func changed() async throws {
        try await withClosed { path in
            let database = try open(path)
            let bytes = try Data(contentsOf: URL(filePath: path))
            try (bytes + Data(count: 4096)).write(to: URL(filePath: path))
            let failure = #expect(throws: OpenFailure.self) { try database.requireUnchanged() }
            #expect(failure?.message.contains("was changed while it was read") == true)
            try database.queue.close()
        }
    }
}
