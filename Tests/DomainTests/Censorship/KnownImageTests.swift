import NIOCore
import Support
import Testing

@testable import Domain

@Suite("Known images")
struct KnownImageTests {
    private func image(_ hashes: [PerceptualHash], digest: String = String(repeating: "a", count: 64)) -> CheckedImage {
        CheckedImage(
            id: ObjectIDGenerator().next(),
            name: "a.jpg",
            mediaType: nil,
            size: 1,
            digest: digest,
            samples: hashes.map { ImageSample(pixels: ByteBuffer(), hash: $0) }
        )
    }

    /// A hash with this number of bits set.
    private func hash(_ bits: Int, quality: Int = 100) -> PerceptualHash {
        var words = SIMD4<UInt64>.zero
        for bit in 0..<bits { words[bit / 64] |= 1 << UInt64(bit % 64) }
        return PerceptualHash(words: words, quality: quality)
    }

    private func add(_ json: String, _ fixture: CensorFixture) async throws -> Int {
        let entry = try JSONValue(parsing: Array(json.utf8), field: "images")
        return try await fixture.service.addKnown([entry], by: nil, as: fixture.master)
    }

    @Test(
        "A copy is found up to the distance of the setting, by any of its frames with enough structure",
        arguments: [
            (distance: 31, bits: [31], quality: 100, isFound: true), (31, [32], 100, false),
            (31, [200, 30], 100, true),
            (0, [0], 100, true), (0, [1], 100, false), (31, [0], 49, false), (31, [0], 50, true),
        ]
    )
    func distance(_ distance: Int, _ bits: [Int], _ quality: Int, _ isFound: Bool) async throws {
        let fixture = try await CensorFixture()
        #expect(try await add(#"{"pdq":"\#(hash(0))"}"#, fixture) == 1)
        var settings = CensorSettings()
        settings.hashDistance = distance
        let checker = KnownImageChecker(store: fixture.store, known: fixture.known)
        let result = try await checker.check(image(bits.map { hash($0, quality: quality) }), under: settings)
        if case .opinion(let opinion) = result {
            #expect(isFound)
            #expect(opinion.verdict == .rejected)
        } else {
            #expect(!isFound)
        }
    }

    @Test("The same bytes are found by their SHA-256, also if the hashes differ")
    func digest() async throws {
        let fixture = try await CensorFixture()
        let digest = String(repeating: "b", count: 64)
        #expect(try await add(#"{"sha256":"\#(digest.uppercased())","note":"list 7"}"#, fixture) == 1)
        let checker = KnownImageChecker(store: fixture.store, known: fixture.known)
        let found = try await checker.check(image([hash(0)], digest: digest), under: CensorSettings())
        guard case .opinion = found else {
            Issue.record("\(found)")
            return
        }
        #expect(try await checker.check(image([hash(0)]), under: CensorSettings()) == .none(nil))
    }

    @Test("An entry that is in the list already is not added again, and a removed one is not found any more")
    func entries() async throws {
        let fixture = try await CensorFixture()
        let entry = #"{"pdq":"\#(hash(3))"}"#
        #expect(try await add(entry, fixture) == 1)
        #expect(try await add(entry, fixture) == 0)
        #expect(fixture.known.count == 1)
        let list = try await fixture.service.knownImages(limit: 10, cursor: nil, as: fixture.master).results
        let id = try #require(list.first?["id"]?.stringValue.flatMap { ObjectID($0) })
        try await fixture.service.removeKnown(id, as: fixture.master)
        #expect(fixture.known.count == 0)
        await #expect(throws: ServiceError.self) { try await fixture.service.removeKnown(id, as: fixture.master) }
    }

    @Test("After a restart the list is as it was")
    func restart() async throws {
        let fixture = try await CensorFixture()
        for bits in 0..<3 { _ = try await add(#"{"pdq":"\#(hash(bits * 40))"}"#, fixture) }
        let known = KnownImages()
        try await known.follow(fixture.store)
        #expect(known.count == 3)
        #expect(known.nearest(to: [hash(41)], within: 1)?.distance == 1)
    }

    @Test("A request has a limit of entries")
    func limit() async throws {
        let fixture = try await CensorFixture()
        let entries = [JSONValue](repeating: .null, count: CensorService.knownBatch + 1)
        let error = await #expect(throws: ServiceError.self) {
            _ = try await fixture.service.addKnown(entries, by: nil, as: fixture.master)
        }
        #expect(error?.message.contains("\(CensorService.knownBatch)") == true)
    }
}
