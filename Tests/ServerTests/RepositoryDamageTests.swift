import Domain
import Foundation
import SQLiteStore
import Support
import Testing

@testable import Server
@testable import Storage

/// What backups and verifications say of damage in the storage and in the repository.
@Suite struct RepositoryDamageTests {
    @Test("a file that is damaged in the storage is left out, and the rest can be restored")
    func damagedStorage() async throws {
        try await RepositoryFixture.with { fixture in
            let records = try await fixture.store(["abc", "another"])
            try fixture.damageBlob(of: records[0])
            let made = try fixture.backUp()
            #expect(made.contents.damaged == 1)
            #expect(made.contents.firstDamage?.contains(records[0].key.description) == true)
            #expect(fixture.blobs.count == 1)
            #expect(try fixture.verify() == (0, 0, 1))
            let restored = try fixture.restore()
            #expect((restored.files, restored.lacking) == (1, 1))
            #expect(restored.completeMoment == nil)
        }
    }

    @Test("a restore of an incomplete snapshot names the newest one without damage")
    func completeMoment() async throws {
        try await RepositoryFixture.with { fixture in
            let records = try await fixture.store(["abc", "another"])
            _ = try fixture.backUp()
            // The moments of snapshots are different milliseconds.
            try await Task.sleep(for: .milliseconds(5))
            try await fixture.store(["a third"])
            _ = try fixture.backUp()
            try await Task.sleep(for: .milliseconds(5))
            let blobs = fixture.blobs
            try fixture.damageBlob(of: records[0])
            for blob in blobs { try fixture.target.remove([blob]) }
            #expect(try fixture.backUp().contents.damaged == 1)
            let restored = try fixture.restore()
            #expect((restored.files, restored.lacking) == (2, 1))
            let times = try BackupRepository(fixture.target).list().snapshots.map(\.time)
            try #require(times.count == 3)
            #expect(restored.completeMoment == times[1])
        }
    }

    @Test(
        "a restore says that a retention removed its snapshot meanwhile, and blames no damage",
        arguments: ["/database", "app/blobs/"],
        [false, true]
    )
    func removedMeanwhile(part: String, leavingOutDamage: Bool) async throws {
        try await RepositoryFixture.with { fixture in
            try await fixture.store(["a", "b"])
            _ = try fixture.backUp()
            fixture.target.removeApp(before: part)
            fixture.expectRefusal(73, "a retention removed snapshot app ") {
                try fixture.restore(leavingOutDamage: leavingOutDamage)
            }
            #expect(!FileManager.default.fileExists(atPath: "\(fixture.restored)/app"))
        }
    }

    @Test(
        "a restore says that a retention removed its generation meanwhile, and blames no damage",
        arguments: [".segment", "app/blobs/", ".blobs"],
        [false, true]
    )
    func removedGeneration(part: String, leavingOutDamage: Bool) async throws {
        try await RepositoryFixture.with { fixture in
            let begin = Timestamp.now().adding(seconds: -60)
            let generation = try GenerationFixture(of: fixture, at: begin, try await fixture.store(["a"]))
            try generation.ship(at: begin.adding(seconds: 2), try await fixture.store(["b"]))
            // The lists are read only when a blob is missing.
            if part == ".blobs" { try fixture.target.remove(fixture.blobs) }
            fixture.target.removeApp(before: part)
            fixture.expectRefusal(73, "a retention removed generation app ") {
                try fixture.restore(leavingOutDamage: leavingOutDamage)
            }
        }
    }

    @Test("a damaged database gets no snapshot")
    func damagedDatabase() async throws {
        try await RepositoryFixture.with { fixture in
            let other = "\(fixture.storage)/other"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
            try Data(repeating: 0x61, count: 8192).write(to: URL(filePath: "\(other)/lcfile.sqlite"))
            try await fixture.store(["a"])
            let made = try fixture.backUp()
            #expect(made.contents.apps == 1)
            #expect(made.contents.damagedDatabases == 1)
            #expect(!fixture.target.names.contains { $0.hasPrefix("other/") })
            fixture.expectRefusal(73, "no snapshot of app other") { try fixture.restore() }
            #expect(try fixture.restore(leavingOutDamage: true).files == 1)
        }
    }

    @Test("a verification tells what is damaged, and with which exit code")
    func verification() async throws {
        try await RepositoryFixture.with { fixture in
            let records = try await fixture.store(["abc", "another", "third"])
            _ = try fixture.backUp()
            #expect(try fixture.verify() == (0, 0, 1))
            let blob = try #require(fixture.blobs.first { $0.contains(BlobName(records[0].key).description) })
            fixture.target.corrupt(blob, Array("ABC".utf8))
            #expect(try fixture.verify() == (0, 0, 1))
            let summary = try fixture.verification(reading: .all)
            #expect(summary.damagedFiles == 1)
            #expect(summary.readFiles == 3)
            #expect(summary.damage.first?.contains(records[0].id.description) == true)
            #expect(summary.damage.first?.contains(records[0].key.description) == true)
            fixture.target.corrupt(blob, nil)
            #expect(try fixture.verify() == (1, 0, 1))
            fixture.expectRefusal(73, "incomplete", "--leave-out-damaged") { try fixture.restore() }
            #expect(try fixture.restore(leavingOutDamage: true).files == 2)
            for part in ["database", "files", "manifest.json"] {
                let name = try #require(fixture.target.names.first { $0.hasSuffix(part) })
                let bytes = try fixture.target.get(name, limit: .max)
                fixture.target.corrupt(name, bytes.map { [$0[0] ^ 1] + $0.dropFirst() })
                #expect(try fixture.verify().1 == 1, "\(part)")
                fixture.target.corrupt(name, bytes)
            }
        }
    }

    @Test(
        "an app whose database is gone or empty is named, and the others are backed up",
        arguments: [nil, Data()] as [Data?]
    )
    func lostDatabase(contents: Data?) async throws {
        try await RepositoryFixture.with { fixture in
            let (blobs, database) = ("\(fixture.storage)/other/blobs/ab", "\(fixture.storage)/other/lcfile.sqlite")
            try FileManager.default.createDirectory(atPath: blobs, withIntermediateDirectories: true)
            try contents?.write(to: URL(filePath: database))
            try await fixture.store(["a"])
            let made = try fixture.backUp()
            #expect(made.contents.apps == 1)
            #expect(made.contents.firstDamagedDatabase?.hasPrefix("\(database) is missing or empty") == true)
            #expect(!fixture.target.names.contains { $0.hasPrefix("other/") })
        }
    }

    @Test("an app without files whose database is cut to 0 bytes is restored from its last snapshot")
    func emptyDatabase() async throws {
        try await RepositoryFixture.with { fixture in
            let other = "\(fixture.storage)/other"
            try FileManager.default.createDirectory(atPath: "\(other)/blobs", withIntermediateDirectories: true)
            try SQLiteDatabase(path: "\(other)/lcfile.sqlite").close()
            #expect(try fixture.backUp().contents.apps == 2)
            try FileManager.default.removeItem(atPath: other)
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: "\(other)/lcfile.sqlite"))
            let made = try fixture.backUp()
            #expect((made.contents.apps, made.contents.damagedDatabases) == (1, 1))
            #expect(try fixture.restore().apps == 2)
        }
    }
}

extension MemoryBackupTarget {
    /// Removes all objects of the app before one of a name is read, as a retention does with the only state that has
    /// them.
    fileprivate func removeApp(before part: String) {
        intercept { [self] change, name throws(BackupTargetFailure) in
            guard change == .get, name.contains(part) else { return }
            intercept(nil)
            try remove(names.filter { $0.hasPrefix("app/") })
        }
    }
}
