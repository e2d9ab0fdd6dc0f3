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

/// What a backup of a storage folder contains, and what a restore of it makes.
@Suite struct BackupTests {
    @Test("what was backed up from an open storage is restored: records, bytes, keys")
    func thereAndBack() async throws {
        try await BackupFixture.with { fixture in
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

    @Test("what a crash left of a backup is replaced")
    func leftDraft() async throws {
        try await BackupFixture.with { fixture in
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

    @Test("a file that is damaged in the storage is left out and told, and the rest can be restored")
    func damagedStorage() async throws {
        try await BackupFixture.with { fixture in
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
        try await BackupFixture.with { fixture in
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
            BackupFixture.expectRefusal("app other was damaged", "lcfile.sqlite.damaged") { try fixture.restore() }
            #expect(!FileManager.default.fileExists(atPath: fixture.restored))
            // A repaired database beside it makes the backup whole.
            let repaired = try SQLiteDatabase(path: "\(fixture.backup)/other/lcfile.sqlite")
            try repaired.close()
            #expect(try fixture.restore().apps == 2)
        }
    }

    @Test("a quick restore takes equal sizes for equal bytes")
    func quick() async throws {
        try await BackupFixture.with { fixture in
            _ = try fixture.makeBackup()
            let blob = try fixture.blob(holding: "abc", in: fixture.backup)
            try "ABC".write(toFile: blob, atomically: false, encoding: .utf8)
            #expect(try fixture.restore(comparingDigests: false).files == 3)
        }
    }

    @Test("the marker of an incomplete backup has the number of files that it lacks; without one it lacks none")
    func lacking() async throws {
        try await BackupFixture.with { fixture in
            _ = try fixture.makeBackup()
            let marker = "\(fixture.backup)/backup.txt"
            #expect(try String(contentsOfFile: marker, encoding: .utf8) == "lcfile backup 1\n")
            try "lcfile backup 1\ndamaged: x\n".write(toFile: marker, atomically: false, encoding: .utf8)
            BackupFixture.expectRefusal("version") { try fixture.restore() }
            try "lcfile backup 1\ndamaged: 7\n".write(toFile: marker, atomically: false, encoding: .utf8)
            #expect(try fixture.restore().lacking == 7)
        }
    }

    @Test("slashes at the end of a path mean nothing")
    func slashes() async throws {
        try await BackupFixture.with { fixture in
            _ = try StorageBackup(of: "\(fixture.storage)//", to: "\(fixture.backup)//", with: FolderEngine()).run()
            #expect(try fixture.names(in: fixture.folder) == ["backup", "storage"])
        }
    }
}
