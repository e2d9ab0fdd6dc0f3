import Domain
import NIOCore
import NIOPosix
import S3
import Support
import Testing

@testable import S3Blobs

/// Matches the filter of the suites that `Tests/Conformance/storage/test_s3.py` runs.
@Suite("Encrypted staged bytes of several servers", .enabled(if: S3Fixture.isThere, "no S3_ENDPOINT"))
struct StagingEncryptionTests {
    private let name = ObjectIDGenerator().next()
    private let bytes = StagingFixture.pattern(30 << 20)

    private func write(_ range: Range<Int>, by area: S3StagingArea) async throws {
        let writer = try await area.stage(as: name).write(at: Int64(range.lowerBound), digesting: [])
        try await writer.append(try #require(bytes.getSlice(at: range.lowerBound, length: range.count)))
        _ = try await writer.finish()
    }

    private static func layouts() -> [[Range<Int>]] {
        let unit = 1 << 20
        return [
            // Parts of Qiniu's SDKs, in any order.
            [4 * unit..<8 * unit, 0..<4 * unit, 8 * unit..<12 * unit, 12 * unit..<16 * unit],
            // Parts that end at no frame.
            [0..<5_000_000, 5_000_000..<10_000_000, 10_000_000..<17_000_000],
            // Broken requests, whose bytes were sent again from the middle of a frame on.
            [0..<9_000_000, 7_777_777..<16_000_000, 15_999_000..<25_000_001, 100..<200],
            [0..<6_000_000, 5_999_999..<12_000_000, 2..<3],
            (0..<10).map { $0 * unit..<($0 + 1) * unit },
            [0..<65_537], [0..<1], [0..<20_000_000],
        ]
    }

    @Test("what several servers wrote becomes one blob, and nothing in the bucket tells of it", arguments: layouts())
    func uploads(ranges: [Range<Int>]) async throws {
        try await StagingFixture.withLayout { layout in
            let areas = try (0..<3).map { _ in try StagingFixture.area(layout, encryption: .test) { $0.memory = 0 } }
            for (index, range) in ranges.enumerated() { try await write(range, by: areas[index % 3]) }
            let size = ranges.map(\.upperBound).max() ?? 0
            let expected = try #require(bytes.getSlice(at: 0, length: size))
            let staged = try await areas[2].stage(as: name)
            #expect(try await staged.read(at: 0, count: size) == expected)
            let facts = try await staged.finish(size: Int64(size), needsMD5: false).blob
            var hasher = ContentHasher()
            expected.withUnsafeReadableBytes { hasher.update($0) }
            #expect(facts.digest == .contentHash(hasher.finalize()))
            let key = try S3Fixture.key()
            for settings in [S3BlobSettings(), .sizes(whole: -1)] {
                try await S3Fixture.withStore(layout: layout, settings: settings, encryption: .test) { store in
                    if try await store.open(key) == nil { try await store.put(staged, facts, as: key, of: name) }
                    #expect(try await store.bytes(key) == expected)
                    let blob = try #require(try await store.open(key))
                    for offset in [0, size / 3, max(0, size - 100_000)] {
                        let part = try await blob.read(at: Int64(offset), count: 70_000)
                        #expect(part == expected.part(at: Int64(offset), count: 70_000))
                    }
                }
            }
            let client = try StagingFixture.client()
            for object in try StagingFixture.objects(layout) {
                let found = try #require(try client.get(object, limit: 64 << 20))
                #expect(size < 100 || !found.hasBeginning(of: expected), "\(object)")
                // A digest has 40 hexadecimal digits.
                let fields = object.split(whereSeparator: { "/-".contains($0) })
                let isSegment = object.contains("/uploads/")
                #expect(!isSegment || !fields.contains { $0.count >= 40 && $0.allSatisfy(\.isHexDigit) }, "\(object)")
            }
            await staged.discard()
        }
    }

    @Test("an upload that began before the encryption goes on with it")
    func switching() async throws {
        try await StagingFixture.withLayout { layout in
            let reading = try BlobEncryption.keys([1], readsUnencrypted: true)
            let plain = try StagingFixture.area(layout) { $0.memory = 0 }
            let sealed = try StagingFixture.area(layout, encryption: reading) { $0.memory = 0 }
            try await write(0..<14_000_000, by: plain)
            try await write(14_000_000..<22_000_000, by: sealed)
            let staged = try await sealed.stage(as: name)
            let facts = try await staged.finish(size: 22_000_000, needsMD5: false).blob
            let key = try S3Fixture.key()
            try await S3Fixture.withStore(layout: layout, encryption: .test) { store in
                try await store.put(staged, facts, as: key, of: name)
                #expect(try await store.bytes(key) == bytes.getSlice(at: 0, length: 22_000_000))
            }
            await staged.discard()
        }
    }

    @Test("segments of a key that the settings lack are an error, and not a gap")
    func unknownKey() async throws {
        try await StagingFixture.withLayout { layout in
            try await write(0..<100, by: StagingFixture.area(layout, encryption: .test))
            let other = try await StagingFixture.area(layout, encryption: .keys([2])).stage(as: name)
            await expectFailure(.storageFailing) { _ = try await other.extent() }
        }
    }

    @Test("a segment that the store changed is unreadable")
    func forged() async throws {
        try await StagingFixture.withLayout { layout in
            let area = try StagingFixture.area(layout, encryption: .test)
            try await write(0..<100_000, by: area)
            let client = try StagingFixture.client()
            let segment = try #require(try StagingFixture.objects(layout).first { $0.contains("/uploads/") })
            var object = try #require(try client.get(segment, limit: 1 << 20))
            object[3] ^= 1
            try client.put(segment, bytes: object)
            let staged = try await area.stage(as: name)
            await expectFailure(.internalFailure) { _ = try await staged.read(at: 0, count: 10) }
            #expect(try await staged.read(at: 70_000, count: 10) == bytes.getSlice(at: 70_000, length: 10))
        }
    }
}
