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

@Suite struct RepositoryTests {
    @Test("what was backed up is restored: records, bytes, keys")
    func thereAndBack() async throws {
        try await RepositoryFixture.with { fixture in
            try "apps: []\n".write(toFile: "\(fixture.storage)/apps.yaml", atomically: false, encoding: .utf8)
            let records = try await fixture.store(["", "abc", "another"])
            let made = try fixture.backUp()
            #expect(made.contents.files == 3)
            #expect(made.newFiles == 3)
            #expect(made.newBytes == 10)
            #expect(try fixture.restore().files == 3)
            let app = "\(fixture.restored)/app"
            let database = try SQLiteDatabase(path: "\(app)/lcfile.sqlite")
            let blobs = try DiskBlobStore(folder: app, pool: .singleton)
            for (record, text) in zip(records, ["", "abc", "another"]) {
                #expect(try await FileRecords(SQLiteObjectStore(database)).file(id: record.id) == record)
                let blob = try #require(try await blobs.open(record.key))
                #expect(try await blob.read(at: 0, count: 100) == ByteBuffer(string: text))
            }
            try database.close()
            let keys = try FileManager.default.attributesOfItem(atPath: "\(fixture.restored)/apps.yaml")
            #expect(keys[.posixPermissions] as? Int == 0o600)
            let names = try FileManager.default.contentsOfDirectory(atPath: fixture.restored)
            #expect(names.sorted() == [".lock", "app", "apps.yaml"])
        }
    }

    @Test("a second backup stores new files only, and what the repository lost again")
    func incremental() async throws {
        try await RepositoryFixture.with { fixture in
            try await fixture.store(["a", "b", "c"])
            #expect(try fixture.backUp().newFiles == 3)
            try await fixture.store(["d"])
            let second = try fixture.backUp()
            #expect(second.newFiles == 1)
            #expect(second.contents.files == 4)
            fixture.target.corrupt(try #require(fixture.blobs.first), nil)
            fixture.target.corrupt(try #require(fixture.blobs.last), [1, 2, 3])
            #expect(try fixture.backUp().newFiles == 2)
            #expect(try fixture.restore().files == 4)
        }
    }

    @Test("an earlier moment is restored as it was")
    func moments() async throws {
        try await RepositoryFixture.with { fixture in
            let records = try await fixture.store(["a", "b"])
            _ = try fixture.backUp()
            let between = Timestamp.now()
            while Timestamp.now() <= between {}
            try await fixture.delete(records[0])
            try await fixture.store(["c", "d"])
            _ = try fixture.backUp()
            #expect(try fixture.restore(at: between.iso8601).files == 2)
            #expect(try fixture.restore().files == 3)
            let early = "2001-01-01T00:00:00.000Z"
            fixture.expectRefusal(73, "no snapshot at or before") { try fixture.restore(at: early) }
            #expect(!FileManager.default.fileExists(atPath: fixture.restored))
        }
    }

    @Test("a call that fails leaves no snapshot that looks whole, and the next backup needs only the rest")
    func faults() async throws {
        try await RepositoryFixture.with { fixture in
            try "apps: []\n".write(toFile: "\(fixture.storage)/apps.yaml", atomically: false, encoding: .utf8)
            try await fixture.store((0..<5).map { "file \($0)" })
            let calls = CallCount()
            // The format, the lock, five blobs, list, database, keys and manifest.
            for failing in 1...11 {
                calls.reset()
                fixture.target.intercept { change, name throws(BackupTargetFailure) in
                    guard change == .put, calls.next() == failing else { return }
                    throw BackupTargetFailure(.full, "\(name) cannot be stored: no space")
                }
                fixture.expectRefusal(73, "no space") { try fixture.backUp() }
                fixture.target.intercept(nil)
                #expect(!fixture.target.names.contains { $0.hasSuffix("manifest.json") }, "call \(failing)")
                #expect(!fixture.target.names.contains { $0.hasPrefix(".locks/") }, "call \(failing)")
                let stored = fixture.blobs.count
                #expect(try fixture.backUp().newFiles == 5 - stored)
                #expect(failing < 8 || stored == 5)
                #expect(try fixture.verification(reading: .all).damage == [])
                try fixture.target.remove(fixture.target.names)
            }
            _ = try fixture.backUp()
            #expect(try fixture.restore().files == 5)
        }
    }

    @Test("the parts of a subset read each file once")
    func subsets() async throws {
        try await RepositoryFixture.with { fixture in
            try await fixture.store((0..<20).map(String.init))
            _ = try fixture.backUp()
            _ = try fixture.backUp()
            let read = try (1...3).map { part in
                try fixture.verification(reading: CheckSubset("\(part)/3")).readFiles
            }
            #expect(read.reduce(0, +) == 20)
        }
    }

    @Test("what is no repository, or a newer one, is refused")
    func formats() async throws {
        try await RepositoryFixture.with { fixture in
            try await fixture.store(["a"])
            fixture.expectRefusal(73, "not a backup repository") { try fixture.restore() }
            try fixture.target.put("other", bytes: [])
            fixture.expectRefusal(73, "not empty") { try fixture.backUp() }
            try fixture.target.put("lcfile-backup.json", bytes: Array(#"{"format":2}"#.utf8))
            fixture.expectRefusal(73, "format 2") { try fixture.backUp() }
            fixture.expectRefusal(73, "format 2") { try fixture.restore() }
        }
    }
}
