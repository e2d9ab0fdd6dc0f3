import Domain
import Support
import Testing

@testable import Server
@testable import Storage

/// What commands do when a manifest of a snapshot or a generation cannot be read.
@Suite struct DamagedManifestTests {
    /// A moment that many days passed since.
    private static let begin = Timestamp(milliseconds: 1_700_000_000_000)

    /// Which of two states has the damaged manifest.
    enum Position: CaseIterable {
        case older
        case newer
    }

    /// Stores a generation with one file whose last segment is 10 s after ``begin``, and a later snapshot with two.
    ///
    /// - Returns: The names of their manifests, the older first.
    private func store(_ fixture: RepositoryFixture) async throws -> [String] {
        let generation = try GenerationFixture(of: fixture, at: Self.begin, [])
        try generation.ship(at: Self.begin.adding(seconds: 10), try await fixture.store(["a"]))
        try await fixture.store(["b"])
        _ = try fixture.backUp()
        let snapshot = try #require(fixture.target.names.first { $0.hasPrefix(generation.layout.snapshots) })
        let root = snapshot.prefix(through: try #require(snapshot.lastIndex(of: "/")))
        return [generation.layout.object(.manifest, ofGeneration: generation.time), "\(root)manifest.json"]
    }

    /// Flips a bit of the manifest, and returns its name.
    private func damage(_ position: Position, in fixture: RepositoryFixture) async throws -> String {
        let name = try await store(fixture)[position == .older ? 0 : 1]
        let bytes = try #require(try fixture.target.get(name, limit: .max))
        fixture.target.corrupt(name, [bytes[0] ^ 1] + bytes.dropFirst())
        return name
    }

    @Test("the newest state is restored although the manifest of an older one is damaged")
    func olderDamaged() async throws {
        try await RepositoryFixture.with { fixture in
            _ = try await damage(.older, in: fixture)
            let result = try fixture.restoration()
            #expect(result.states.first?.hasPrefix("snapshot") == true)
            #expect(result.summary.files == 2)
        }
    }

    @Test("a restore of an older state than that with the damaged manifest has to be asked for")
    func newerDamaged() async throws {
        try await RepositoryFixture.with { fixture in
            let name = try await damage(.newer, in: fixture)
            let moment = Self.begin.adding(seconds: 10).iso8601
            fixture.expectRefusal(73, name, "--leave-out-damaged", "--at \(moment)") { try fixture.restore() }
            #expect(try fixture.restore(at: moment).files == 1)
            #expect(try fixture.restore(leavingOutDamage: true).files == 1)
        }
    }

    @Test("a generation with a damaged manifest counts by its last segment, not by its base")
    func newerSegments() async throws {
        try await RepositoryFixture.with { fixture in
            let generation = try GenerationFixture(of: fixture, at: Self.begin, [])
            _ = try fixture.backUp()
            try generation.ship(at: Timestamp.now().adding(seconds: 60), try await fixture.store(["a"]))
            let name = generation.layout.object(.manifest, ofGeneration: generation.time)
            fixture.target.corrupt(name, [])
            fixture.expectRefusal(73, name) { try fixture.restore() }
            #expect(try fixture.restore(leavingOutDamage: true).files == 0)
        }
    }

    @Test("a list has everything else, and names the damaged manifest", arguments: Position.allCases)
    func list(_ position: Position) async throws {
        try await RepositoryFixture.with { fixture in
            let name = try await damage(position, in: fixture)
            let list = try BackupRepository(fixture.target).list()
            #expect((list.snapshots.count, list.generations.count) == (position == .older ? (1, 0) : (0, 1)))
            #expect(list.damage.map { $0.hasPrefix(name) } == [true])
        }
    }

    @Test("a verification checks everything else, and names the damaged manifest", arguments: Position.allCases)
    func verification(_ position: Position) async throws {
        try await RepositoryFixture.with { fixture in
            let name = try await damage(position, in: fixture)
            let summary = try fixture.verification(reading: nil)
            #expect((summary.snapshots, summary.generations, summary.damageCount) == (1, 1, 1))
            #expect(summary.damage.map { $0.hasPrefix(name) } == [true])
        }
    }

    @Test("a retention removes nothing while a manifest is damaged", arguments: Position.allCases)
    func retention(_ position: Position) async throws {
        try await RepositoryFixture.with { fixture in
            let name = try await damage(position, in: fixture)
            let before = fixture.target.names
            fixture.target.advance(by: RepositoryRetention.grace + 1)
            fixture.expectRefusal(73, name) { try fixture.retain(moments: 1) }
            #expect(fixture.target.names == before)
        }
    }
}
