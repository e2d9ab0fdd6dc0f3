import DiskBlobs
import Domain
import Foundation
import NIOCore
import NIOPosix
import SQLiteStore
import Support
import Testing

@testable import Server
@testable import Storage

@Suite struct BackupTests {
    /// Folders of one test, and a storage with one app that has three files.
    private struct Fixture {
        let folder: String
        let records: [FileRecord]

        var storage: String { "\(folder)/storage" }
        var backup: String { "\(folder)/backup" }
        var restored: String { "\(folder)/restored" }

        func makeBackup() throws -> CopySummary {
            try StorageBackup(of: storage, to: backup, with: FolderEngine()).run()
        }

        func restore(comparingDigests: Bool = true) throws -> CopySummary {
            try StorageRestore(of: backup, to: restored, comparingDigests: comparingDigests, with: FolderEngine()).run()
        }

        func names(in folder: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        }

        /// The blob in a storage folder or a backup that holds a text.
        func blob(holding text: String, in folder: String) throws -> String {
            let blobs = "\(folder)/app/blobs"
            let paths = try FileManager.default.subpathsOfDirectory(atPath: blobs).map { "\(blobs)/\($0)" }
            return try #require(paths.first { (try? String(contentsOfFile: $0, encoding: .utf8)) == text })
        }
    }

    private func withFixture(_ body: (Fixture) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let app = "\(folder)/storage/app"
            try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
            let database = try SQLiteDatabase(path: "\(app)/lcfile.sqlite")
            let blobs = try Backups.storage(in: app)
            var records: [FileRecord] = []
            for text in ["", "abc", "another"] {
                let record = try await Backups.store(text, in: blobs)
                records.append(record)
            }
            try await FileRecords(SQLiteObjectStore(database)).insert(records)
            // The database stays open, as that of a running server.
            try await body(Fixture(folder: folder, records: records))
            try database.close()
        }
    }

    private func expectRefusal(_ words: String..., by body: @escaping () throws -> CopySummary) {
        let error = #expect(throws: ExitError.self) { try body() }
        #expect(error?.exitCode == 73)
        for word in words { #expect(error?.description.contains(word) == true, "\(String(describing: error))") }
        #expect(error?.description.contains("\n") == false)
    }

    @Test("what was backed up from an open storage is restored: records, bytes, keys")
    func thereAndBack() async throws {
        try await withFixture { fixture in
            try "apps: []\n".write(toFile: "\(fixture.storage)/apps.yaml", atomically: false, encoding: .utf8)
            let made = try fixture.makeBackup()
            var expected = CopySummary()
            expected.apps = 1
            expected.files = 3
            expected.bytes = 10
            #expect(made == expected)
            #expect(try fixture.names(in: fixture.folder) == ["backup", "storage"])
            #expect(try fixture.names(in: fixture.backup) == ["app", "apps.yaml", "backup.txt"])
            #expect(try fixture.restore() == made)
            #expect(try fixture.names(in: fixture.restored) == [".lock", "app", "apps.yaml"])
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(fixture.restored)/apps.yaml")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let database = try SQLiteDatabase(path: "\(fixture.restored)/app/lcfile.sqlite")
            let blobs = try DiskBlobStore(folder: "\(fixture.restored)/app", pool: .singleton)
            for (record, text) in zip(fixture.records, ["", "abc", "another"]) {
                #expect(try await FileRecords(SQLiteObjectStore(database)).file(id: record.id) == record)
                let blob = try #require(try await blobs.open(record.key))
                #expect(try await blob.read(at: 0, count: 100) == ByteBuffer(string: text))
            }
            try database.close()
        }
    }

    @Test("a folder that exists is never backed up to, not even an empty one")
    func existing() async throws {
        try await withFixture { fixture in
            try FileManager.default.createDirectory(atPath: fixture.backup, withIntermediateDirectories: false)
            expectRefusal("exists already", by: fixture.makeBackup)
            #expect(try fixture.names(in: fixture.folder) == ["backup", "storage"])
            #expect(try fixture.names(in: fixture.backup) == [])
        }
    }

    @Test("what a crash left of a backup is replaced")
    func leftDraft() async throws {
        try await withFixture { fixture in
            let draft = "\(fixture.backup).partial"
            try FileManager.default.createDirectory(atPath: "\(draft)/app/blobs", withIntermediateDirectories: true)
            try "lcfile backup 1, not finished\n".write(
                toFile: "\(draft)/backup.txt",
                atomically: false,
                encoding: .utf8
            )
            #expect(try fixture.makeBackup().files == 3)
            #expect(try fixture.names(in: fixture.folder) == ["backup", "storage"])
        }
    }

    @Test("a draft of a running backup or of another program is left alone")
    func foreignDraft() async throws {
        try await withFixture { fixture in
            let running = try BackupDraft(of: fixture.backup)
            expectRefusal("another backup", "backup.partial", by: fixture.makeBackup)
            running.discard()
            let mine = "\(fixture.backup).partial/mine"
            try FileManager.default.createDirectory(atPath: mine, withIntermediateDirectories: true)
            expectRefusal("backup.partial", "not created by lcfile", by: fixture.makeBackup)
            #expect(try fixture.names(in: "\(fixture.backup).partial") == ["mine"])
        }
    }

    @Test("a file that is damaged in the storage is left out and told, and the rest can be restored")
    func damagedStorage() async throws {
        try await withFixture { fixture in
            let blob = try fixture.blob(holding: "abc", in: fixture.storage)
            try "ABC".write(toFile: blob, atomically: false, encoding: .utf8)
            let made = try fixture.makeBackup()
            #expect(made.files == 2)
            #expect(made.damaged == 1)
            #expect(made.deleted == 0)
            #expect(made.firstDamage?.contains(fixture.records[1].key.description) == true)
            let restored = try fixture.restore()
            #expect(restored.files == 2)
            #expect(restored.lacking == 1)
            #expect(restored.completeMoment == nil)
        }
    }

    @Test("a database that is damaged is in the backup as it is, the other apps are whole, and a restore refuses")
    func damagedOriginal() async throws {
        try await withFixture { fixture in
            let other = "\(fixture.storage)/other"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
            let database = try SQLiteDatabase(path: "\(other)/lcfile.sqlite")
            try database.close()
            let path = "\(other)/lcfile.sqlite"
            let size = try Data(contentsOf: URL(filePath: path)).count
            try Data(repeating: 0x61, count: size).write(to: URL(filePath: path))
            let made = try fixture.makeBackup()
            #expect(made.apps == 1)
            #expect(made.files == 3)
            #expect(made.damagedDatabases == 1)
            #expect(made.firstDamagedDatabase?.contains(path) == true)
            #expect(try fixture.names(in: "\(fixture.backup)/other") == ["lcfile.sqlite.damaged"])
            expectRefusal("app other was damaged", "lcfile.sqlite.damaged") { try fixture.restore() }
            #expect(!FileManager.default.fileExists(atPath: fixture.restored))
            // A repaired database beside it makes the backup whole.
            let repaired = try SQLiteDatabase(path: "\(fixture.backup)/other/lcfile.sqlite")
            try repaired.close()
            #expect(try fixture.restore().apps == 2)
        }
    }

    @Test("a storage without apps is no storage")
    func noApps() async throws {
        try await Samples.withFolder { folder in
            expectRefusal("contains no app") {
                try StorageBackup(of: folder, to: "\(folder)/backup", with: FolderEngine()).run()
            }
            expectRefusal("nowhere") {
                try StorageBackup(of: "\(folder)/nowhere", to: "\(folder)/backup", with: FolderEngine()).run()
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left == [])
        }
    }

    @Test("a storage into which a restore was interrupted is not backed up: it lacks apps and files")
    func interruptedRestore() async throws {
        try await withFixture { fixture in
            let draft = "\(fixture.storage)/restore.partial"
            try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false)
            expectRefusal("interrupted restore") { try fixture.makeBackup() }
            let repository = try BackupRepository(MemoryBackupTarget(), creating: true)
            expectRefusal("interrupted restore") {
                let backup = RepositoryBackup(
                    of: fixture.storage,
                    to: repository,
                    version: "test",
                    with: FolderEngine()
                )
                return try backup.run().contents
            }
            #expect(!FileManager.default.fileExists(atPath: "\(fixture.backup).partial"))
        }
    }

    @Test("a backup without a blob, or with another one, is refused by its key before anything is made")
    func damagedBackup() async throws {
        try await withFixture { fixture in
            _ = try fixture.makeBackup()
            let key = fixture.records[1].key.description
            let blob = try fixture.blob(holding: "abc", in: fixture.backup)
            try "ABC".write(toFile: blob, atomically: false, encoding: .utf8)
            expectRefusal(key, "digest") { try fixture.restore() }
            try FileManager.default.removeItem(atPath: blob)
            expectRefusal(key, "missing") { try fixture.restore(comparingDigests: false) }
            #expect(!FileManager.default.fileExists(atPath: fixture.restored))
        }
    }

    @Test("a quick restore takes equal sizes for equal bytes")
    func quick() async throws {
        try await withFixture { fixture in
            _ = try fixture.makeBackup()
            let blob = try fixture.blob(holding: "abc", in: fixture.backup)
            try "ABC".write(toFile: blob, atomically: false, encoding: .utf8)
            #expect(try fixture.restore(comparingDigests: false).files == 3)
        }
    }

    @Test("a damaged database is refused by its path")
    func damagedDatabase() async throws {
        try await withFixture { fixture in
            _ = try fixture.makeBackup()
            let path = "\(fixture.backup)/app/lcfile.sqlite"
            try Data(repeating: 0x61, count: 8192).write(to: URL(filePath: path))
            expectRefusal(path) { try fixture.restore() }
        }
    }

    @Test("only a whole backup is restored")
    func unfinished() async throws {
        try await withFixture { fixture in
            _ = try fixture.makeBackup()
            let marker = "\(fixture.backup)/backup.txt"
            for (text, word) in [("lcfile backup 1, not finished\n", "interrupted"), ("lcfile backup 2\n", "version")] {
                try text.write(toFile: marker, atomically: false, encoding: .utf8)
                expectRefusal(word) { try fixture.restore() }
            }
            try FileManager.default.removeItem(atPath: marker)
            expectRefusal("not a backup") { try fixture.restore() }
        }
    }

    @Test("the marker of an incomplete backup has the number of files that it lacks; without one it lacks none")
    func lacking() async throws {
        try await withFixture { fixture in
            _ = try fixture.makeBackup()
            let marker = "\(fixture.backup)/backup.txt"
            #expect(try String(contentsOfFile: marker, encoding: .utf8) == "lcfile backup 1\n")
            try "lcfile backup 1\ndamaged: x\n".write(toFile: marker, atomically: false, encoding: .utf8)
            expectRefusal("version") { try fixture.restore() }
            try "lcfile backup 1\ndamaged: 7\n".write(toFile: marker, atomically: false, encoding: .utf8)
            #expect(try fixture.restore().lacking == 7)
        }
    }

    @Test("a storage folder with content is never restored into")
    func contents() async throws {
        try await withFixture { fixture in
            _ = try fixture.makeBackup()
            try FileManager.default.createDirectory(atPath: "\(fixture.restored)/x", withIntermediateDirectories: true)
            expectRefusal(fixture.restored, "not empty") { try fixture.restore() }
            #expect(try fixture.names(in: fixture.restored) == ["x"])
        }
    }

    @Test("a storage folder that a server has locked is never restored into")
    func locked() async throws {
        try await withFixture { fixture in
            _ = try fixture.makeBackup()
            let server = try StorageFolder(path: fixture.restored)
            expectRefusal("in use") { try fixture.restore() }
            try server.synchronize()
        }
    }

    @Test("a restore that was cut off keeps servers away and can be done again")
    func cutOff() async throws {
        try await withFixture { fixture in
            _ = try fixture.makeBackup()
            let draft = "\(fixture.restored)/restore.partial"
            try FileManager.default.createDirectory(atPath: "\(draft)/app", withIntermediateDirectories: true)
            #expect(throws: ExitError.self) {
                try StorageFolder(path: fixture.restored).refuseUnfinishedRestore()
            }
            #expect(try fixture.restore().files == 3)
            try StorageFolder(path: fixture.restored).refuseUnfinishedRestore()
        }
    }

    @Test("slashes at the end of a path mean nothing")
    func slashes() async throws {
        try await withFixture { fixture in
            _ = try StorageBackup(of: "\(fixture.storage)//", to: "\(fixture.backup)//", with: FolderEngine()).run()
            #expect(try fixture.names(in: fixture.folder) == ["backup", "storage"])
        }
    }
}

/// What the tests above store.
private enum Backups {
    static func storage(in folder: String) throws -> BlobStorage {
        BlobStorage(
            staging: try DiskStagingArea(folder: folder, pool: .singleton),
            blobs: try DiskBlobStore(folder: folder, pool: .singleton)
        )
    }

    static func store(_ text: String, in blobs: BlobStorage) async throws -> FileRecord {
        let name = try FileName("x.txt", limit: 255)
        let key = try FileKey.make(for: name, prefix: nil, keepingName: false)
        let facts = try await blobs.store(text, as: key)
        return FileRecord(
            id: ObjectIDGenerator().next(),
            key: key,
            name: name,
            mediaType: .jpeg,
            detectedType: nil,
            facts: facts,
            metaData: [:],
            acl: nil,
            createdAt: .now()
        )
    }
}
