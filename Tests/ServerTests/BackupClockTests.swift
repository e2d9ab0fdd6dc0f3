import Domain
import Support
import Testing

@testable import Server
@testable import Storage

/// Snapshots of a machine whose clock was ahead of others.
@Suite struct BackupClockTests {
    private static let year = 365 * 86_400

    /// Makes a snapshot of one file, with the clock some seconds ahead.
    ///
    /// - Returns: The time of the snapshot.
    @discardableResult
    private func store(_ fixture: RepositoryFixture, ahead seconds: Int) async throws -> SnapshotTime {
        try await fixture.store(["old"])
        _ = try fixture.backUp()
        let made = try #require(try times(fixture).first)
        let time = SnapshotTime(made.timestamp.adding(seconds: seconds))
        try rename(made, to: time, in: fixture)
        return time
    }

    private func times(_ fixture: RepositoryFixture) throws -> [SnapshotTime] {
        try BackupRepository(fixture.target).parts(of: fixture.app).keys.sorted()
    }

    private func rename(_ old: SnapshotTime, to new: SnapshotTime, in fixture: RepositoryFixture) throws {
        let layout = BackupLayout(fixture.app)
        for part in SnapshotPart.allCases {
            guard var bytes = try fixture.target.get(layout.object(part, of: old), limit: .max) else { continue }
            if part == .manifest {
                var manifest = try #require(BackupManifest(bytes))
                manifest.time = new.timestamp
                bytes = manifest.encoded
            }
            try fixture.target.put(layout.object(part, of: new), bytes: bytes)
            try fixture.target.remove([layout.object(part, of: old)])
        }
    }

    /// Makes a snapshot with the clock a year ahead, and a later one with the name of the right clock, as an earlier
    /// version did.
    private func storeOutOfOrder(
        _ fixture: RepositoryFixture
    ) async throws -> (ahead: SnapshotTime, now: SnapshotTime) {
        let ahead = try await store(fixture, ahead: Self.year)
        fixture.target.advance(by: 60)
        try await fixture.store(["new"])
        _ = try fixture.backUp()
        let now = SnapshotTime(.now())
        try rename(try #require(try times(fixture).last), to: now, in: fixture)
        return (ahead, now)
    }

    @Test("a snapshot gets a later time than one of a clock that was ahead", arguments: [60, 12 * 3600, year])
    func order(seconds: Int) async throws {
        try await RepositoryFixture.with { fixture in
            let ahead = try await store(fixture, ahead: seconds)
            try await fixture.store(["new"])
            _ = try fixture.backUp()
            #expect(try fixture.restore().files == 2)
            #expect(try fixture.retain().removed == ["app \(ahead)"])
            #expect(try fixture.restore().files == 2)
        }
    }

    @Test("backups that run at the same time after one that was ahead have a snapshot each")
    func overlapping() async throws {
        try await RepositoryFixture.with { fixture in
            try await store(fixture, ahead: Self.year)
            try await fixture.store(["new"])
            fixture.target.intercept { change, name throws(BackupTargetFailure) in
                guard change == .put, name.hasPrefix("app/blobs/") else { return }
                fixture.target.intercept(nil)
                _ = try? fixture.backUp()
            }
            _ = try fixture.backUp()
            #expect(try times(fixture).count == 3)
        }
    }

    @Test("a restore without a time is refused if a state of a clock that was ahead was stored before another one")
    func outOfOrder() async throws {
        try await RepositoryFixture.with { fixture in
            let (ahead, now) = try await storeOutOfOrder(fixture)
            let choice = "--at \(ahead.timestamp.iso8601)"
            fixture.expectRefusal(73, "later than the clock", choice) { try fixture.restore() }
            #expect(try fixture.restore(at: now.timestamp.iso8601).files == 2)
            #expect(try fixture.restore(at: ahead.timestamp.iso8601).files == 1)
        }
    }

    @Test("a retention keeps a snapshot that was stored after one of a clock that was ahead")
    func retention() async throws {
        try await RepositoryFixture.with { fixture in
            let (ahead, now) = try await storeOutOfOrder(fixture)
            let summary = try fixture.retain()
            #expect(summary.kept == ["app \(now)", "app \(ahead)"])
            #expect(summary.removed.isEmpty)
        }
    }

    @Test("states later than the clock are named", arguments: [(60, 0), (year, 1)])
    func warning(seconds: Int, count: Int) async throws {
        try await RepositoryFixture.with { fixture in
            let ahead = try await store(fixture, ahead: seconds)
            let states = try BackupRepository(fixture.target).statesAheadOfClock()
            #expect(states == Array(repeating: "snapshot app \(ahead)", count: count))
        }
    }
}
