import DiskBlobs
import Domain
import Foundation
import NIOCore
import NIOPosix
import SQLiteStore
import Support
import Synchronization
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
            try FileManager.default.removeItem(atPath: fixture.restored)
            #expect(try fixture.restore().files == 3)
            try FileManager.default.removeItem(atPath: fixture.restored)
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
            #expect(try fixture.restore().files == 1)
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
                if part == "manifest.json" {
                    fixture.expectRefusal(73, "damaged") { try fixture.verify() }
                } else {
                    #expect(try fixture.verify().1 == 1, "\(part)")
                }
                fixture.target.corrupt(name, bytes)
            }
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

    @Test("a retention removes old snapshots and then the files that no list names")
    func retention() async throws {
        try await RepositoryFixture.with { fixture in
            let records = try await fixture.store(["a", "b"])
            _ = try fixture.backUp()
            try await fixture.delete(records[0])
            _ = try fixture.backUp()
            let blob = BackupLayout(fixture.app).blobs
            fixture.target.corrupt("\(blob)foreign", [1])
            fixture.target.advance(by: RepositoryRetention.grace / 2)
            // Named by a list of the continuous backup only.
            let kept = BackupBlob(of: FileEntry(id: records[0].id, key: records[0].key, facts: records[0].facts))
            try fixture.target.put("app/wal/1/files", bytes: Array("\(kept)\n".utf8))
            #expect(try fixture.retain(dryRun: true).removed.count == 1)
            #expect(try fixture.target.list(prefix: "app/snapshots/", after: nil, limit: 100).count == 6)
            let first = try fixture.retain()
            #expect(first.removed.count == 1)
            #expect(first.kept.count == 1)
            #expect(first.blobs == 0)
            fixture.target.advance(by: RepositoryRetention.grace)
            #expect(try fixture.retain().blobs == 0)
            try fixture.target.remove(["app/wal/1/files"])
            let last = try fixture.retain()
            #expect(last.blobs == 1)
            #expect(last.bytes == 1)
            #expect(fixture.blobs.count == 2)
            #expect(try fixture.verify() == (0, 0, 1))
            #expect(try fixture.restore().files == 1)
        }
    }

    @Test("a retention that fails anywhere leaves whole snapshots, and the next one ends its work")
    func retentionFaults() async throws {
        try await RepositoryFixture.with { fixture in
            for number in 0..<3 {
                let records = try await fixture.store(["file \(number)"])
                _ = try fixture.backUp()
                try await fixture.delete(records[0])
            }
            fixture.target.advance(by: 2 * RepositoryRetention.grace)
            let calls = CallCount()
            var failures = 0
            for failing in 1...20 {
                calls.reset()
                fixture.target.intercept { change, name throws(BackupTargetFailure) in
                    guard change == .remove, !name.hasPrefix(".locks/"), calls.next() == failing else { return }
                    throw BackupTargetFailure(.unavailable, "\(name) cannot be removed")
                }
                if (try? fixture.retain()) == nil { failures += 1 }
                fixture.target.intercept(nil)
                #expect(try fixture.verification(reading: .all).damagedFiles == 0)
            }
            #expect(failures > 3)
            _ = try fixture.retain()
            #expect(try fixture.target.list(prefix: "app/", after: nil, limit: 100).count == 4)
        }
    }

    @Test("what an interrupted backup left goes a day later")
    func interrupted() async throws {
        try await RepositoryFixture.with { fixture in
            try await fixture.store(["a"])
            _ = try fixture.backUp()
            let files = "app/snapshots/20270101T000000.000Z/files"
            let name = "\(String(repeating: "ab", count: 32)).hash"
            try fixture.target.put(files, bytes: Array("\(name)\n".utf8))
            try fixture.target.put("app/blobs/ab/\(name)", bytes: [1])
            _ = try fixture.retain()
            #expect(fixture.target.names.contains(files))
            fixture.target.advance(by: RepositoryRetention.grace + 1)
            let summary = try fixture.retain()
            #expect(!fixture.target.names.contains(files))
            #expect(summary.blobs == 1)
            #expect(try fixture.verify() == (0, 0, 1))
        }
    }

    @Test("a retention does not run beside a backup, a backup not beside a retention, and backups do")
    func locks() async throws {
        try await RepositoryFixture.with { fixture in
            try await fixture.store(["a"])
            _ = try fixture.backUp()
            let backup = try BackupLock(.backup, of: fixture.target)
            _ = try fixture.backUp()
            fixture.expectRefusal(73, "used by a backup") { try fixture.retain() }
            backup.release()
            let retention = try BackupLock(.retention, of: fixture.target)
            fixture.expectRefusal(73, "used by a retention") { try fixture.backUp() }
            retention.release()
            _ = try fixture.retain()
            #expect(!fixture.target.names.contains { $0.hasPrefix(".locks/") })
        }
    }

    @Test("a lock that was not written for half an hour, or of a process that ended, does not count")
    func leftLocks() async throws {
        try await RepositoryFixture.with { fixture in
            try await fixture.store(["a"])
            _ = try fixture.backUp()
            let other = LockHolder(host: "elsewhere", space: "", process: 1)
            try fixture.target.put(".locks/retention-a", bytes: other.encoded)
            fixture.expectRefusal(73, "elsewhere") { try fixture.backUp() }
            fixture.target.advance(by: BackupLock.lifetime + 1)
            _ = try fixture.backUp()
            let here = LockHolder.current
            // No process has this number.
            let ended = LockHolder(host: here.host, space: here.space, process: Int64(pid_t.max))
            try fixture.target.put(".locks/retention-b", bytes: ended.encoded)
            _ = try fixture.backUp()
            #expect(!fixture.target.names.contains { $0.hasPrefix(".locks/") })
        }
    }

    @Test("a backup that lost its lock stores no manifest")
    func lostLock() async throws {
        try await RepositoryFixture.with { fixture in
            try await fixture.store(["a"])
            let target = fixture.target
            // Before the manifest is stored, and just after.
            for part in ["database", "manifest.json"] {
                target.intercept { change, name throws(BackupTargetFailure) in
                    guard change == .put, name.hasSuffix(part) else { return }
                    for lock in target.names where lock.hasPrefix(".locks/") { target.corrupt(lock, nil) }
                }
                fixture.expectRefusal(73, "lock") { try fixture.backUp() }
                target.intercept(nil)
                #expect(!target.names.contains { $0.hasSuffix("manifest.json") })
            }
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

/// Counts calls of several threads.
private final class CallCount: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func reset() {
        count.withLock { $0 = 0 }
    }
}
