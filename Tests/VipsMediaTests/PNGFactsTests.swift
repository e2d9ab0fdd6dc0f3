import Domain
import Testing

@testable import VipsMedia

@Suite struct PNGFactsTests {
    private static func facts(_ bytes: [UInt8]) throws -> PNGFacts? {
        try bytes.withUnsafeBytes { try PNGFacts(ByteWindow($0)) }
    }

    private static func big(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(number >> $0 & 0xff) }
    }

    /// A chunk with a checksum that is not checked here.
    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        big(body.count) + Array(name.utf8) + body + [1, 2, 3, 4]
    }

    private static func file(
        _ color: UInt8,
        _ depth: UInt8 = 8,
        interlace: UInt8 = 0,
        width: Int = 300,
        height: Int = 200,
        chunks: [UInt8] = []
    ) -> [UInt8] {
        let header = big(width) + big(height) + [depth, color, 0, 0, interlace]
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + chunk("IHDR", header) + chunks
            + chunk("IDAT", [1, 2, 3]) + chunk("IEND", [])
    }

    @Test("size, depth and interlace are those of the header")
    func header() throws {
        let facts = try #require(try Self.facts(Self.file(2, 16, interlace: 1)))
        #expect(facts.size == ImageSize(width: 300, height: 200))
        #expect(facts.bitDepth == 16)
        #expect(facts.isInterlaced)
        #expect(facts.colorType == .color)
    }

    @Test(
        "colour models are those that Qiniu names",
        arguments: [
            (0, 8, "gray"), (0, 1, "gray"), (0, 16, "gray16"), (2, 8, "rgba"), (2, 16, "rgba64"), (4, 8, "nrgba"),
            (4, 16, "nrgba64"), (6, 8, "nrgba"), (6, 16, "nrgba64"), (3, 4, "palette0"),
        ] as [(UInt8, UInt8, String)]
    )
    func colorModel(color: UInt8, depth: UInt8, expected: String) throws {
        #expect(try Self.facts(Self.file(color, depth))?.colorModel == expected)
    }

    @Test("a PNG is animated if it says so before its pixels")
    func animated() throws {
        let control = Self.chunk("acTL", Self.big(2) + Self.big(0))
        #expect(try Self.facts(Self.file(6, chunks: control))?.isAnimated == true)
        #expect(try Self.facts(Self.file(6))?.isAnimated == false)
        #expect(try Self.facts(Self.file(6) + control)?.isAnimated == false)
    }

    @Test("palette and transparency are found behind other chunks")
    func palette() throws {
        let profile = Self.chunk("iCCP", [UInt8](repeating: 7, count: 100_000))
        let palette = Self.chunk("PLTE", [UInt8](repeating: 9, count: 30))
        let facts = try #require(try Self.facts(Self.file(3, chunks: profile + palette + Self.chunk("tRNS", [0]))))
        #expect(facts.paletteCount == 10)
        #expect(facts.colorModel == "palette10")
        #expect(facts.hasAlpha)
        #expect(try Self.facts(Self.file(3, chunks: palette))?.hasAlpha == false)
    }

    @Test("what stands behind the pixels counts for nothing")
    func late() throws {
        let facts = try #require(try Self.facts(Self.file(2) + Self.chunk("tRNS", [0, 0, 0, 0, 0, 0])))
        #expect(!facts.hasTransparency)
    }

    @Test(
        "a header that does not hold gives no facts",
        arguments: [
            [], Array(file(2).dropFirst()), Array(file(2).prefix(28)), file(1), file(7), file(2, 4), file(3, 16),
            file(0, 3), file(2, width: 0), file(2, height: 0), file(2, width: 0x8000_0000),
        ]
    )
    func noHeader(bytes: [UInt8]) throws {
        #expect(try Self.facts(bytes) == nil)
    }

    @Test("a length that leads nowhere ends the walk")
    func hugeLength() throws {
        let huge = Self.big(0xffff_ffff) + Array("zTXt".utf8)
        #expect(try Self.facts(Self.file(3, chunks: huge))?.paletteCount == nil)
    }

    @Test("packed chunks before the pixels are counted with their bytes, others not")
    func packed() throws {
        let packed = Self.chunk("zTXt", Array("a\0\0bcd".utf8)) + Self.chunk("iTXt", Array("a\0\u{1}\0\0\0b".utf8))
        let plain = Self.chunk("tEXt", Array("a\0b".utf8)) + Self.chunk("iTXt", Array("a\0\0\0\0\0b".utf8))
        let facts = try #require(try Self.facts(Self.file(2, chunks: plain + packed)))
        #expect(facts.packedTexts == 2)
        #expect(facts.packedBytes == 6 + 7)
    }

    @Test("the ranges of packed texts before the pixels are told, without colour profiles and at most 16")
    func textRanges() throws {
        let text = Self.chunk("zTXt", Array("a\0\0bcd".utf8))
        let profile = Self.chunk("iCCP", Array("a\0\0b".utf8))
        let facts = try #require(try Self.facts(Self.file(2, chunks: text + profile + text) + text))
        #expect(facts.textRanges == [33..<51, 67..<85])
        let many = Array([[UInt8]](repeating: text, count: 20).joined())
        #expect(try Self.facts(Self.file(2, chunks: many))?.textRanges.count == 16)
    }

    @Test("the ranges of EXIF chunks before the pixels are told")
    func exifRanges() throws {
        let exif = Self.chunk("eXIf", [1, 2, 3])
        let facts = try #require(try Self.facts(Self.file(2, chunks: exif + exif) + exif))
        #expect(facts.exifRanges == [41..<44, 56..<59])
    }

    @Test("more chunks than are looked at give no facts, whatever stands behind them")
    func spent() throws {
        let chunks = [[UInt8]](repeating: Self.chunk("abCd", [UInt8](repeating: 0, count: 1100)), count: 1200)
        #expect(try Self.facts(Self.file(2, chunks: Array(chunks.joined()))) == nil)
    }

    @Test("no bytes stop the walk", arguments: 0..<5)
    func hostile(seed: UInt64) throws {
        let palette = Self.chunk("PLTE", [UInt8](repeating: 9, count: 30))
        let sample = Self.file(3, chunks: palette + Self.chunk("tRNS", [0]))
        for bytes in Damage.mutations(of: sample, count: 200, seed: seed) { _ = try Self.facts(bytes) }
        for bytes in Damage.truncations(of: sample) { _ = try Self.facts(bytes) }
    }
}
