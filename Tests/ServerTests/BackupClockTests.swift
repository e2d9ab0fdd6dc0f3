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
        let layout = BackupLayout(fixture.app)
        let made = try #require(try BackupRepository(fixture.target).parts(of: fixture.app).keys.first)
        let time = SnapshotTime(made.timestamp.adding(seconds: seconds))
        for part in SnapshotPart.allCases {
            guard var bytes = try fixture.target.get(layout.object(part, of: made), limit: .max) else { continue }
            if part == .manifest {
                var manifest = try #require(BackupManifest(bytes))
                manifest.time = time.timestamp
                bytes = manifest.encoded
            }
            try fixture.target.put(layout.object(part, of: time), bytes: bytes)
            try fixture.target.remove([layout.object(part, of: made)])
        }
        return time
    }

    @Test("a retention keeps a snapshot that is a year later than the clock, and the one just made")
    func retention() async throws {
        try await RepositoryFixture.with { fixture in
            let ahead = try await store(fixture, ahead: Self.year)
            _ = try fixture.backUp()
            _ = try fixture.backUp()
            let summary = try fixture.retain()
            #expect((summary.kept.count, summary.removed.count) == (2, 1))
            #expect(summary.kept.last == "app \(ahead)")
            let (removed, kept) = (try #require(summary.removed.first), try #require(summary.kept.first))
            #expect(removed < kept)
        }
    }

    @Test("a restore without a time refuses a state that is a year later than the clock")
    func restore() async throws {
        try await RepositoryFixture.with { fixture in
            let ahead = try await store(fixture, ahead: Self.year)
            try await fixture.store(["new"])
            _ = try fixture.backUp()
            let choice = "--at \(ahead.timestamp.iso8601)"
            fixture.expectRefusal(73, "later than the clock", choice) { try fixture.restore() }
            #expect(try fixture.restore(at: Timestamp.now().iso8601).files == 2)
            #expect(try fixture.restore(at: ahead.timestamp.iso8601).files == 1)
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

    @Test("a snapshot gets a later time than one of a clock that is a minute ahead")
    func order() async throws {
        try await RepositoryFixture.with { fixture in
            try await store(fixture, ahead: 60)
            try await fixture.store(["new"])
            _ = try fixture.backUp()
            #expect(try fixture.restore().files == 2)
            #expect(try fixture.retain().removed.count == 1)
            #expect(try fixture.restore().files == 2)
        }
    }
}
