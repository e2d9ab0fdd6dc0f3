import Domain
import Foundation
import Support
import Testing

@testable import Server
@testable import Storage

@Suite struct GenerationTests {
    /// A moment that many days passed since.
    private static let begin = Timestamp(milliseconds: 1_700_000_000_000)

    private static func after(_ seconds: Int) -> Timestamp { begin.adding(seconds: seconds) }

    @Test("each moment of a generation is restored as it was")
    func moments() async throws {
        try await RepositoryFixture.with { fixture in
            let first = try await fixture.store(["a", "b"])
            let generation = try GenerationFixture(of: fixture, at: Self.begin, first, generatedApp: "apps: []\n")
            let second = try await fixture.store(["c", "d", "e"])
            try generation.ship(at: Self.after(2), second)
            try await fixture.delete(first[0])
            try await fixture.delete(second[0])
            try generation.ship(at: Self.after(4))
            let cases = [(0, 2), (1, 2), (2, 5), (3, 5), (4, 3), (1000, 3)]
            for (seconds, files) in cases {
                let result = try fixture.restoration(at: Self.after(seconds).iso8601)
                #expect(result.summary.files == files, "after \(seconds) s")
                #expect(result.summary.deleted == 0, "after \(seconds) s")
                let until = Self.after(seconds == 1000 ? 4 : seconds / 2 * 2).iso8601
                #expect(result.states == ["generation app \(generation.time) until \(until)"])
            }
            #expect(try fixture.restore().files == 3)
            let keys = try String(contentsOfFile: "\(fixture.restored)/apps.yaml", encoding: .utf8)
            #expect(keys == "apps: []\n")
            fixture.expectRefusal(73, "no snapshot at or before") {
                try fixture.restore(at: Self.begin.adding(seconds: -1).iso8601)
            }
        }
    }

    @Test("a moment while a base was stored is restored from the generation before it")
    func overlap() async throws {
        try await RepositoryFixture.with { fixture in
            let old = try GenerationFixture(of: fixture, at: Self.begin, try await fixture.store(["a"]))
            try old.ship(at: Self.after(2), try await fixture.store(["b"]))
            let files = try await fixture.store(["c"])
            let new = try GenerationFixture(of: fixture, at: Self.after(3), files)
            let later = try await fixture.store(["d"])
            try old.ship(at: Self.after(4), files + later)
            let last = try await fixture.store(["e"])
            try old.ship(at: Self.after(6), last)
            try new.ship(at: Self.after(6), later + last)
            let moment = try fixture.restoration(at: Self.after(5).iso8601)
            #expect(moment.states == ["generation app \(old.time) until \(Self.after(4).iso8601)"])
            let end = try fixture.restoration(at: Self.after(7).iso8601)
            #expect(end.states[0].hasPrefix("generation app \(new.time)"))
        }
    }

    @Test("the newest of snapshots and generations is restored")
    func newest() async throws {
        try await RepositoryFixture.with { fixture in
            let first = try await fixture.store(["a"])
            let generation = try GenerationFixture(of: fixture, at: Self.begin, first)
            #expect(try fixture.restoration().states[0].hasPrefix("generation"))
            _ = try fixture.backUp()
            #expect(try fixture.restoration().states[0].hasPrefix("snapshot"))
            #expect(try fixture.restoration(at: Self.after(1).iso8601).states[0].hasPrefix("generation"))
            try generation.ship(at: Timestamp.now().adding(seconds: 60), try await fixture.store(["b"]))
            let result = try fixture.restoration()
            #expect(result.states[0].hasPrefix("generation"))
            #expect(result.summary.files == 2)
            // A generation that just began is newer than both.
            let later = Timestamp.now().adding(seconds: 120)
            _ = try GenerationFixture(of: fixture, at: later, [], apps: ["app", "other"])
            fixture.expectRefusal(73, "no snapshot of app other") { try fixture.restore() }
        }
    }

    @Test("a generation without a manifest is none")
    func unfinished() async throws {
        try await RepositoryFixture.with { fixture in
            let generation = try GenerationFixture(of: fixture, at: Self.begin, try await fixture.store(["a"]))
            fixture.target.corrupt(generation.layout.object(.manifest, ofGeneration: generation.time), nil)
            fixture.expectRefusal(73, "no snapshot") { try fixture.restore() }
            #expect(try fixture.verification(reading: nil).generations == 0)
        }
    }

    /// What happens to the second of three segments.
    enum Damage: CaseIterable {
        case missing
        case flipped
        case cutOff
        case replaced
    }

    @Test(
        "a segment that is missing or damaged is named, and the moments before it are restored",
        arguments: Damage.allCases
    )
    func damagedSegment(_ damage: Damage) async throws {
        try await RepositoryFixture.with { fixture in
            let generation = try GenerationFixture(of: fixture, at: Self.begin, [])
            var segments: [String] = []
            for number in 1...3 {
                let records = try await fixture.store(["\(number)"])
                segments.append(try generation.ship(at: Self.after(number), records))
            }
            let bytes = try #require(try fixture.target.get(segments[1], limit: .max))
            switch damage {
            case .missing: fixture.target.corrupt(segments[1], nil)
            case .flipped:
                var flipped = bytes
                flipped[bytes.count - 100] ^= 1
                fixture.target.corrupt(segments[1], flipped)
            case .cutOff: fixture.target.corrupt(segments[1], bytes.dropLast())
            case .replaced: fixture.target.corrupt(segments[1], try fixture.target.get(segments[2], limit: .max))
            }
            let before = "--at \(Self.after(1).iso8601) restores the state before it"
            fixture.expectRefusal(73, "segment 2 of generation app", before) { try fixture.restore() }
            #expect(!FileManager.default.fileExists(atPath: "\(fixture.restored)/app"))
            fixture.expectRefusal(73, "segment 2", before) { try fixture.restore(at: Self.after(2).iso8601) }
            #expect(try fixture.restore(at: Self.after(1).iso8601).files == 1)
            let summary = try fixture.verification(reading: nil)
            #expect(summary.damagedGenerations == 1)
            #expect(summary.damage.count == 1)
            #expect(summary.damage[0].contains("segment 2 of generation app"))
            let row = try #require(try BackupRepository(fixture.target).list().generations.first)
            #expect(row.hasGap == (damage == .missing))
            #expect(row.segments == (damage == .missing ? 1 : 3))
            #expect(row.until == Self.after(damage == .missing ? 1 : 3).iso8601)
        }
    }

    @Test("damage of what a generation begins with is named", arguments: GenerationPart.allCases)
    func damagedBeginning(_ part: GenerationPart) async throws {
        try await RepositoryFixture.with { fixture in
            let generation = try GenerationFixture(of: fixture, at: Self.begin, [], generatedApp: "apps: []\n")
            let name = generation.layout.object(part, ofGeneration: generation.time)
            let bytes = try #require(try fixture.target.get(name, limit: .max))
            fixture.target.corrupt(name, part == .files ? [0x61] : [bytes[0] ^ 1] + bytes.dropFirst())
            let summary = try fixture.verification(reading: nil)
            #expect(summary.damagedGenerations == 1)
            #expect(summary.damage.first?.contains("\(part.rawValue)") == true)
            guard part != .files else { return }
            fixture.expectRefusal(73, part == .manifest ? name : "generation app") { try fixture.restore() }
        }
    }

    @Test("files without stored blobs are left out, and listed ones whose blobs are missing are named")
    func blobs() async throws {
        try await RepositoryFixture.with { fixture in
            let generation = try GenerationFixture(of: fixture, at: Self.begin, [])
            let kept = try await fixture.store(["kept"])
            // Its bytes were deleted before they were stored in the repository.
            try await fixture.store(["deleted"])
            try generation.ship(at: Self.after(1), kept)
            let restored = try fixture.restore()
            #expect(restored.files == 1)
            #expect(restored.deleted == 1)
            #expect(restored.damaged == 0)
            #expect(try fixture.verification(reading: .all).damageCount == 0)
            fixture.target.corrupt(try #require(fixture.blobs.first), nil)
            fixture.expectRefusal(73, "incomplete", kept[0].id.description) { try fixture.restore() }
            let summary = try fixture.restore(leavingOutDamage: true)
            #expect(summary.files == 0)
            #expect(summary.damaged == 1)
            #expect(summary.deleted == 1)
            #expect(try fixture.verification(reading: nil).damagedFiles == 1)
        }
    }

    @Test("a verification compares the rows of a generation with their checksums")
    func damagedRows() async throws {
        try await RepositoryFixture.with { fixture in
            let records = try await fixture.store(["a", "b"])
            _ = try GenerationFixture(of: fixture, at: Self.begin, records, spoiling: ("image/jpeg", "image/jpfg"))
            let summary = try fixture.verification(reading: nil)
            #expect((summary.damagedRows, summary.damageCount, summary.generations) == (2, 0, 1))
            #expect(summary.damage.allSatisfy { $0.contains("generation app") && $0.contains("checksum") })
            #expect(summary.damage.count == 2)
        }
    }

    /// What happens to the list of the blobs that a segment adds.
    enum ListDamage: CaseIterable {
        case missing
        case empty
        case shorter
    }

    @Test("the list of a segment that is missing or damaged is noticed by each command", arguments: ListDamage.allCases)
    func damagedList(_ damage: ListDamage) async throws {
        try await RepositoryFixture.with { fixture in
            let generation = try GenerationFixture(of: fixture, at: Self.begin, [])
            let records = try await fixture.store(["a", "b"])
            let segment = try generation.ship(at: Self.after(1), records)
            let list = try #require(fixture.target.names.last { $0.hasSuffix(SegmentName.blobsSuffix) && $0 < segment })
            let bytes = try #require(try fixture.target.get(list, limit: .max))
            switch damage {
            case .missing: fixture.target.corrupt(list, nil)
            case .empty: fixture.target.corrupt(list, [])
            case .shorter: fixture.target.corrupt(list, Array(bytes.prefix(bytes.count / 2)))
            }
            #expect(try fixture.verification(reading: nil).damagedGenerations == 1)
            fixture.target.advance(by: RepositoryRetention.grace + 1)
            fixture.expectRefusal(73, damage == .missing ? "missing" : "damaged", "no blob was removed") {
                try fixture.retain()
            }
            #expect(fixture.blobs.count == 2)
            #expect(try fixture.restore().files == 2)
            fixture.target.corrupt(try #require(fixture.blobs.first), nil)
            fixture.expectRefusal(73, damage == .missing ? "missing" : "damaged", "; --leave-out-damaged restores") {
                try fixture.restore()
            }
            let summary = try fixture.restore(leavingOutDamage: true)
            #expect((summary.files, summary.damaged, summary.deleted) == (1, 1, 0))
        }
    }

    @Test("segments of an earlier version, whose names have no digest, are read with their lists and without")
    func earlierNames() async throws {
        try await RepositoryFixture.with { fixture in
            let generation = try GenerationFixture(of: fixture, at: Self.begin, [])
            generation.bindingLists = false
            try generation.ship(at: Self.after(1), try await fixture.store(["a"]))
            try await fixture.store(["deleted"])
            try generation.ship(at: Self.after(2))
            let restored = try fixture.restore()
            #expect((restored.files, restored.deleted) == (1, 1))
            #expect(try fixture.verification(reading: .all).damageCount == 0)
            fixture.target.advance(by: RepositoryRetention.grace + 1)
            #expect(try fixture.retain().blobs == 0)
        }
    }

    @Test("two segments of one number with different lists, as after the lost answer to a put, count as one")
    func repeatedPut() async throws {
        try await RepositoryFixture.with { fixture in
            let generation = try GenerationFixture(of: fixture, at: Self.begin, [])
            let first = try generation.ship(at: Self.after(1), try await fixture.store(["a"]))
            let name = try #require(SegmentName(first))
            let bytes = try #require(try fixture.target.get(first, limit: .max))
            let other = name.adding(list: SegmentName.noList)
            fixture.target.corrupt(generation.layout.object(other, ofGeneration: generation.time), bytes)
            try generation.ship(at: Self.after(2), try await fixture.store(["b"]))
            #expect(try fixture.restore().files == 2)
            let summary = try fixture.verification(reading: .all)
            #expect((summary.damageCount, summary.generations) == (0, 1))
            fixture.target.advance(by: RepositoryRetention.grace + 1)
            #expect(try fixture.retain().blobs == 0)
        }
    }

    @Test("a verification checks the blobs of files that were deleted later, and reads each blob once")
    func verification() async throws {
        try await RepositoryFixture.with { fixture in
            let first = try await fixture.store(["a", "b"])
            _ = try fixture.backUp()
            let generation = try GenerationFixture(of: fixture, at: Self.begin, first)
            let second = try await fixture.store(["c", "d"])
            try generation.ship(at: Self.after(1), second)
            try await fixture.delete(second[0])
            try generation.ship(at: Self.after(2))
            let summary = try fixture.verification(reading: .all)
            #expect(summary.damageCount == 0)
            #expect(summary.snapshots == 1)
            #expect(summary.generations == 1)
            #expect(summary.readFiles == 3)
            let blob = try #require(fixture.blobs.first { $0.contains(BlobName(second[0].key).description) })
            fixture.target.corrupt(blob, nil)
            #expect(try fixture.verification(reading: nil).damagedFiles == 1)
        }
    }
}
