import Domain
import NIOCore
import Support
import Testing

@testable import VipsMedia

@Suite struct JPEGFactsTests {
    @Test("a photograph tells size, colours and quality")
    func photograph() throws {
        let facts = try Samples.rocket().withUnsafeReadableBytes { try JPEGFacts(ByteWindow($0)) }
        let wanted = try #require(facts)
        #expect(wanted.size == ImageSize(width: 640, height: 427))
        #expect(wanted.precision == 8)
        #expect(wanted.components == 3)
        #expect(!wanted.isProgressive)
        #expect(wanted.colorModel == "ycbcr")
        #expect(wanted.quality == 95)
    }

    @Test("the quality of libjpeg's tables is found exactly", arguments: JPEGSample.tables)
    func quality(quality: Int, luminance: [UInt8], chrominance: [UInt8]) throws {
        let tables = JPEGSample.table(0, luminance) + JPEGSample.table(1, chrominance)
        let color = JPEGSample.file(tables, JPEGSample.frame(tables: [0, 1, 1]))
        #expect(try JPEGSample.facts(color)?.quality == quality)
        let gray = JPEGSample.file(JPEGSample.table(0, luminance), JPEGSample.frame(tables: [0]))
        #expect(try JPEGSample.facts(gray)?.quality == quality)
    }

    @Test("one table for all components counts as luminance, as in CMYK and RGB")
    func sharedTable() throws {
        let sample = try #require(JPEGSample.tables.first { $0.0 == 75 })
        let bytes = JPEGSample.file(JPEGSample.table(0, sample.1), JPEGSample.frame(tables: [0, 0, 0, 0]))
        #expect(try JPEGSample.facts(bytes)?.quality == 75)
    }

    @Test("steps of 16 bits count like those of 8")
    func wideSteps() throws {
        let sample = try #require(JPEGSample.tables.first { $0.0 == 92 })
        let wide = JPEGSample.segment(0xdb, [0x10] + sample.1.flatMap { [0, $0] })
        #expect(try JPEGSample.facts(JPEGSample.file(wide, JPEGSample.frame(tables: [0])))?.quality == 92)
    }

    @Test("steps beyond all tables are the lowest quality, and no tables are none")
    func oddTables() throws {
        let wide = JPEGSample.segment(0xdb, [0x10] + [UInt8](repeating: 0xff, count: 128))
        #expect(try JPEGSample.facts(JPEGSample.file(wide, JPEGSample.frame(tables: [0])))?.quality == 1)
        #expect(try JPEGSample.facts(JPEGSample.file(JPEGSample.frame(tables: [0]))).map(\.quality) == .some(nil))
    }

    @Test("a first scan of one component of three tells that all must be held")
    func severalScans() throws {
        let scan = JPEGSample.segment(0xda, [1, 1, 0, 0, 63, 0])
        let bytes = [0xff, 0xd8] + JPEGSample.frame(tables: [0, 1, 1]) + scan
        #expect(try JPEGSample.facts(bytes)?.isProgressive == true)
    }

    @Test("progressive frames are told", arguments: [(0xc0, false), (0xc1, false), (0xc2, true), (0xca, true)])
    func progressive(marker: UInt8, expected: Bool) throws {
        let facts = try JPEGSample.facts(JPEGSample.file(JPEGSample.frame(marker, tables: [0, 1, 1])))
        #expect(facts?.isProgressive == expected)
    }

    @Test(
        "colour models follow the components and Adobe's word",
        arguments: [
            (1, nil, "gray"), (3, nil, "ycbcr"), (3, 0, "ycbcr"), (4, nil, "cmyk"), (4, 0, "cmyk"), (4, 2, "ycck"),
        ] as [(Int, UInt8?, String)]
    )
    func colorModel(components: Int, transform: UInt8?, expected: String) throws {
        let adobe = transform.map { JPEGSample.segment(0xee, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, $0]) } ?? []
        let frame = JPEGSample.frame(tables: [UInt8](repeating: 0, count: components))
        let facts = try JPEGSample.facts(JPEGSample.file(adobe, frame))
        #expect(facts?.colorModel == expected)
        #expect(facts?.adobeTransform == transform.map(Int.init))
    }

    @Test("segments are skipped, however large: of twenty megabytes of them a part is read")
    func largeSegments() throws {
        let segment = JPEGSample.segment(0xe2, [UInt8](repeating: 0xff, count: 65_533))
        let end = JPEGSample.file(JPEGSample.frame(tables: [0])).dropFirst(2)
        var read = 0
        let facts = try JPEGFacts(
            ByteWindow { offset, count in
                read += count
                return (offset..<offset + count).compactMap { place in
                    switch place {
                    case 0..<2: place == 0 ? 0xff : 0xd8
                    case ..<(2 + 320 * segment.count): segment[(place - 2) % segment.count]
                    default: end.dropFirst(place - 2 - 320 * segment.count).first
                    }
                }
            }
        )
        #expect(facts?.size == ImageSize(width: 300, height: 200))
        #expect(read < 400_000)
    }

    @Test("once the budget is spent, the walk is given up")
    func emptySegments() throws {
        let comments = Array(repeatElement([0xff, 0xfe, 0, 2] as [UInt8], count: 2000).joined())
        let bytes = JPEGSample.file(comments, JPEGSample.frame(tables: [0]))
        let facts = try [4096, 16_384].map { budget in
            try JPEGFacts(ByteWindow(budget: budget) { Array(bytes.dropFirst($0).prefix($1)) })?.components
        }
        #expect(facts == [nil, 1])
    }

    @Test(
        "without a frame that holds there are no facts",
        arguments: [
            [], [0xff], [0xff, 0xd8], [0xff, 0xd8, 0xff, 0xd9], [0xff, 0xd9, 0xff, 0xc0],
            JPEGSample.file(), JPEGSample.file(JPEGSample.frame(tables: [])),
            JPEGSample.file(JPEGSample.frame(width: 0, tables: [0])),
            JPEGSample.file(JPEGSample.frame(height: 0, tables: [0])),
            JPEGSample.file(JPEGSample.segment(0xc0, [8, 0, 9, 0, 9, 3, 1, 17, 0])),
            JPEGSample.file([0xff, 0xda, 0, 2], JPEGSample.frame(tables: [0])),
        ] as [[UInt8]]
    )
    func noFrame(bytes: [UInt8]) throws {
        #expect(try JPEGSample.facts(bytes) == nil)
    }

    @Test("an error of the source comes out")
    func failing() throws {
        #expect(throws: Broken.self) { try JPEGFacts(ByteWindow { _, _ in throw Broken() }) }
    }

    @Test("no bytes stop the walk", arguments: 0..<5)
    func hostile(seed: UInt64) throws {
        let adobe = JPEGSample.segment(0xee, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])
        let tables = JPEGSample.tables.flatMap { JPEGSample.table(0, $0.1) + JPEGSample.table(1, $0.2) }
        let sample = JPEGSample.file(adobe, tables, JPEGSample.frame(tables: [0, 1, 1]))
        for bytes in Damage.mutations(of: sample, count: 200, seed: seed) { _ = try JPEGSample.facts(bytes) }
        guard seed == 0 else { return }
        for bytes in Damage.truncations(of: sample) { _ = try JPEGSample.facts(bytes) }
    }
}
