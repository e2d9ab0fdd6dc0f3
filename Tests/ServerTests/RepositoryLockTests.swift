import Domain
import Foundation
import Support
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
