import Domain
import Foundation
import Support
import Synchronization
import Testing

@testable import Server
@testable import Storage

@Suite struct RepositoryLockTests {
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

    @Test("more left locks than a page of a listing keep neither a backup nor a retention away")
    func manyLeftLocks() async throws {
        try await RepositoryFixture.with { fixture in
            try await fixture.store(["a"])
            let other = LockHolder(host: "elsewhere", space: "", process: 1)
            func leave() throws {
                for number in 1000...2000 { try fixture.target.put(".locks/backup-\(number)", bytes: other.encoded) }
            }
            _ = try BackupRepository(fixture.target, creating: true)
            try leave()
            _ = try fixture.backUp()
            fixture.expectRefusal(73, "elsewhere") { try fixture.retain() }
            fixture.target.advance(by: BackupLock.lifetime + 1)
            _ = try fixture.retain()
            #expect(!fixture.target.names.contains { $0.hasPrefix(".locks/") })
            try leave()
            fixture.target.advance(by: BackupLock.lifetime + 1)
            #expect(try fixture.backUp().leftLocks == nil)
            #expect(!fixture.target.names.contains { $0.hasPrefix(".locks/") })
        }
    }

    @Test("with a key that cannot delete, left locks keep no backup away, and the backup tells of them")
    func keyWithoutDelete() async throws {
        try await RepositoryFixture.with { fixture in
            try await fixture.store(["a"])
            let other = LockHolder(host: "elsewhere", space: "", process: 1)
            _ = try BackupRepository(fixture.target, creating: true)
            try fixture.target.put(".locks/retention-a", bytes: other.encoded)
            fixture.target.intercept { change, name throws(BackupTargetFailure) in
                guard change == .remove else { return }
                throw BackupTargetFailure(.unavailable, "\(name) cannot be deleted")
            }
            fixture.target.advance(by: BackupLock.lifetime + 1)
            #expect(try fixture.backUp().leftLocks == nil)
            fixture.target.advance(by: BackupLock.lifetime + 1)
            let left = try fixture.backUp().leftLocks
            #expect(left?.contains("cannot be deleted") == true)
            let manifests = fixture.target.names.filter { $0.hasSuffix("manifest.json") }
            #expect(manifests.count == 2)
        }
    }

    @Test("a lock that another process removed does not come back, and its holder may not finish")
    func removed() async throws {
        try await RepositoryFixture.with { fixture in
            _ = try BackupRepository(fixture.target, creating: true)
            let lock = try BackupLock(.backup, of: fixture.target)
            let name = try #require(fixture.target.names.first { $0.hasPrefix(BackupLayout.locks) })
            lock.refresh()
            try lock.check()
            let bytes = try #require(try fixture.target.get(name, limit: .max))
            fixture.target.corrupt(name, nil)
            lock.refresh()
            #expect(!fixture.target.names.contains(name))
            // Once lost it stays lost.
            fixture.target.corrupt(name, bytes)
            fixture.expectRefusal(73, "lock") { try lock.check() }
            lock.release()
        }
    }

    /// When a holder sleeps for half an hour.
    enum Sleep: CaseIterable {
        case betweenWrites
        case beforeWrite
    }

    @Test("a holder that slept has lost its lock, which it does not write again", arguments: Sleep.allCases)
    func slept(_ sleep: Sleep) async throws {
        try await RepositoryFixture.with { fixture in
            let target = fixture.target
            _ = try BackupRepository(target, creating: true)
            let time = Mutex<Int64>(0)
            let lock = try BackupLock(.backup, of: target) { time.withLock { $0 } }
            time.withLock { $0 += BackupLock.ownLifetime }
            lock.refresh()
            try lock.check()
            let writes = Mutex(0)
            target.intercept { change, name throws(BackupTargetFailure) in
                guard change == .put, name.hasPrefix(BackupLayout.locks) else { return }
                writes.withLock { $0 += 1 }
                time.withLock { $0 += BackupLock.lifetime + 1 }
            }
            if sleep == .betweenWrites { time.withLock { $0 += BackupLock.lifetime + 1 } }
            lock.refresh()
            fixture.expectRefusal(73, "lock") { try lock.check() }
            lock.refresh()
            #expect(writes.withLock { $0 } == (sleep == .betweenWrites ? 0 : 1))
            target.intercept(nil)
            lock.release()
        }
    }

    @Test("a full target keeps a backup away, and no retention, which frees space")
    func full() async throws {
        try await RepositoryFixture.with { fixture in
            for _ in 0..<2 {
                for record in try await fixture.store(["a"]) {
                    _ = try fixture.backUp()
                    try await fixture.delete(record)
                }
            }
            fixture.target.advance(by: RepositoryRetention.grace + 1)
            let calls = CallCount()
            fixture.target.intercept { change, name throws(BackupTargetFailure) in
                // The second attempt is the empty lock, which takes no space.
                guard change == .put, calls.next() % 2 == 1 else { return }
                throw BackupTargetFailure(.full, "\(name) does not fit")
            }
            fixture.expectRefusal(73, "does not fit") { try fixture.backUp() }
            calls.reset()
            let summary = try fixture.retain()
            #expect((summary.removed.count, summary.blobs) == (1, 1))
            #expect(!fixture.target.names.contains { $0.hasPrefix(BackupLayout.locks) })
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
}
