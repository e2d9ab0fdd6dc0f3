import Crypto
import DiskBlobs
import Domain
import Foundation
import GRDB
import Support
import Testing

@testable import SQLiteStore

/// Storage of every version of the schema: it opens for ever, and that of a newer version stays as it is.
@Suite struct StorageFixtureTests {
    /// What the storage of a version holds.
    struct Contents: CustomTestStringConvertible {
        let fixture: Fixture
        /// The bytes of its files by their names.
        let files: [String: Data]
        /// The numbers of objects of some of its classes.
        let counts: [String: Int]

        var testDescription: String { fixture.testDescription }
    }

    private static let rocket: Data = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return (try? Data(contentsOf: tests.appending(path: "Support/Images/rocket.jpg"))) ?? Data()
    }()
    private static let text = Data("hello\n".utf8)

    /// What scripts/storage-fixture gives each server, by the version that has a place for it.
    private static func made(by version: Int) -> [String: Int] {
        var counts = ["_File": 4, "_User": 2, "_Role": 1, "_Session": 2, "_GoneKey": 1, "Folder": 1, "Task": 1]
        if version >= 7 { counts["_CensorLog"] = 1 }
        if version >= 8 { counts["_Mail"] = 2 }
        if version >= 9 { counts.merge(["_Follower": 1, "_Followee": 1, "_Status": 1, "_InboxItem": 1]) { $1 } }
        if version >= 10 { counts.merge(["_Sms": 1, "_SmsCode": 1]) { $1 } }
        if version >= 13 { counts["_Trash"] = 1 }
        if version >= 14 { counts.merge(["_ConsoleSession": 1, "_ConsoleAudit": 1]) { $1 } }
        if version >= 15 { counts["_LiveQuery"] = 0 }
        return counts
    }

    static let contents: [Contents] = Fixture.all.map { fixture in
        switch fixture.version {
        case 1:
            Contents(
                fixture: fixture,
                files: ["rocket.jpg": rocket, "h.txt": text, "empty.bin": Data()],
                counts: ["_File": 3]
            )
        case 2: Contents(fixture: fixture, files: ["rocket.jpg": rocket], counts: ["_File": 1, "Folder": 1, "Task": 2])
        case 3:
            Contents(
                fixture: fixture,
                files: [:],
                counts: ["_File": 0, "_User": 2, "_Session": 2, "_Role": 1, "_Identity": 1, "Note": 1]
            )
        case 4:
            Contents(
                fixture: fixture,
                files: ["a.txt": Data("abc".utf8)],
                counts: ["_File": 2, "_Upload": 2, "_UploadPart": 1]
            )
        case 5:
            Contents(fixture: fixture, files: ["kept.txt": Data("kept".utf8)], counts: ["_File": 1, "_Deletion": 1])
        default:
            Contents(
                fixture: fixture,
                files: ["rocket.jpg": rocket, "hello.txt": text, "empty.bin": Data()],
                counts: made(by: fixture.version)
            )
        }
    }

    @Test("a storage of every version opens, with all its objects, file records and blobs", arguments: contents)
    func opens(contents: Contents) async throws {
        try await contents.fixture.withDatabase { database, path in
            let store = SQLiteObjectStore(database)
            for (name, count) in contents.counts {
                let name = try ClassName(name)
                #expect(try await store.read { try $0.count(ObjectQuery(name)) } == count, "\(name)")
            }
            let objects = try await store.read { try $0.find(ObjectQuery(.file, page: .all)) }
            let records = try objects.filter { $0.fields["key"] != nil }.map { try FileRecord(stored: $0) }
            #expect(Set(records.map(\.name.description)) == Set(contents.files.keys))
            let folder = URL(filePath: path).deletingLastPathComponent()
            for record in records {
                let bytes = try #require(contents.files[record.name.description])
                try place(bytes, of: record.key, in: folder, isTwoDeep: contents.fixture.version < 8)
            }
            let entries = records.map { FileEntry(id: $0.id, key: $0.key, facts: $0.facts) }
            let conditions = try BlobSource(folder: folder.path).check(entries, comparingDigests: true)
            #expect(conditions == records.map { _ in .whole })
            while try await database.fillChecksums(limit: 1000) == false {}
            #expect(try await database.inspectAll().damaged == [])
        }
    }

    /// Puts the bytes of a file where the version kept them.
    private func place(_ bytes: Data, of key: FileKey, in folder: URL, isTwoDeep: Bool) throws {
        let name = SHA256.hash(data: Data(key.description.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
        var place = folder.appending(path: "blobs").appending(path: String(name.prefix(2)))
        if isTwoDeep { place = place.appending(path: String(name.dropFirst(2).prefix(2))) }
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try bytes.write(to: place.appending(path: name))
    }

    @Test("a second start changes nothing", arguments: Fixture.all)
    func secondStart(fixture: Fixture) async throws {
        try await fixture.withFile { path in
            var dumps: [[String]] = []
            for _ in 0..<2 {
                let database = try SQLiteDatabase(path: path)
                while try await database.fillChecksums(limit: 1000) == false {}
                try database.close()
                dumps.append(try dump(of: path))
            }
            #expect(dumps[0] == dumps[1])
        }
    }

    /// All rows of all tables, and the schema.
    private func dump(of path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { db in
            let names = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            return try (["sqlite_master"] + String.fetchAll(db, sql: names)).flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { "\(table) \($0)" }.sorted()
            }
        }
    }

    @Test("each migration has a fixture: run scripts/storage-fixture after the last change of a new one")
    func complete() {
        let versions = DatabaseMigrator.lcfile.migrations.compactMap { name in
            name.split(separator: " ").first.flatMap { Int($0.dropFirst()) }
        }
        #expect(Fixture.all.map(\.version) == versions)
    }

    /// Each way to open a database.
    static let openings: [(name: String, open: @Sendable (String) throws -> Void)] = [
        ("a server's start", { try SQLiteDatabase(path: $0).close() }),
        ("a backup", { try DatabaseCopy(of: $0, at: "\($0).copy").close() }),
        ("a restore", { try DatabaseCopy(reading: $0).close() }),
        ("a check without a server", { try OfflineDatabase(path: $0).close() }),
    ]

    @Test("a database of a newer version is refused and keeps its bytes", arguments: openings.indices)
    func newer(opening: Int) async throws {
        let (name, open) = StorageFixtureTests.openings[opening]
        try await #require(Fixture.all.last).withFile { path in
            let queue = try DatabaseQueue(path: path)
            try await queue.write { db in
                try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('v999 future')")
                try db.execute(sql: "ALTER TABLE class_1 ADD COLUMN future TEXT")
            }
            try queue.close()
            let before = try Data(contentsOf: URL(filePath: path))
            let failure = #expect(throws: OpenFailure.self) { try open(path) }
            #expect(failure?.message.contains("newer version") == true, "\(name)")
            #expect(try Data(contentsOf: URL(filePath: path)) == before, "\(name)")
            // A reader of a database in WAL mode leaves an empty log.
            let log = try? Data(contentsOf: URL(filePath: "\(path)-wal"))
            #expect(log?.isEmpty != false, "\(name)")
        }
    }
}
