import Testing

@testable import VipsMedia

@Suite struct WebPFactsTests {
    private static func little(_ number: Int) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(number >> $0 & 0xff) }
    }

    static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(body.count) + body + [UInt8](repeating: 0, count: body.count % 2)
    }

    static func file(_ chunks: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + little(4 + chunks.count) + Array("WEBP".utf8) + chunks
    }

    /// A frame around its own chunks.
    private static func frame(_ chunks: [UInt8]) -> [UInt8] {
        chunk("ANMF", [UInt8](repeating: 0, count: 16) + chunks)
    }

    private static let pixels = chunk("VP8 ", [1, 2, 3])

    private static func facts(_ bytes: [UInt8]) throws -> WebPFacts? {
        try bytes.withUnsafeBytes { try WebPFacts(ByteWindow($0)) }
    }

    @Test("frames are counted, whatever is in them and between them", arguments: [0, 1, 3, 200])
    func frames(count: Int) throws {
        let frames = (0..<count).flatMap { _ in Self.frame(Self.chunk("ALPH", [1]) + Self.pixels) }
        let bytes = Self.file(Self.chunk("VP8X", [UInt8](repeating: 0, count: 10)) + frames + Self.chunk("EXIF", [1]))
        #expect(try Self.facts(bytes)?.frames == count)
    }

    @Test("frames within a frame are counted, because libwebp finds them")
    func nested() throws {
        let inner = (0..<50).flatMap { _ in Self.frame(Self.pixels) }
        #expect(try Self.facts(Self.file(Self.frame(inner)))?.frames == 51)
    }

    @Test("the ranges of all EXIF chunks are told")
    func exifRanges() throws {
        let exif = Self.chunk("EXIF", [1, 2, 3])
        let facts = try #require(try Self.facts(Self.file(Self.pixels + exif + exif)))
        // A chunk of three bytes takes eight for name and length, and one for padding.
        #expect(facts.exifRanges == [32..<35, 44..<47])
    }

    @Test("what is no WebP gives no facts", arguments: ["", "RIFF", "RIFF1234WAVE", "WEBP"])
    func other(text: String) throws {
        #expect(try Self.facts(Array(text.utf8)) == nil)
    }

    @Test("no bytes stop the walk", arguments: 0..<5)
    func hostile(seed: UInt64) throws {
        let sample = Self.file(Self.frame(Self.pixels) + Self.frame(Self.chunk("VP8L", [4, 5])))
        for bytes in Damage.mutations(of: sample, count: 200, seed: seed) { _ = try Self.facts(bytes) }
        for bytes in Damage.truncations(of: sample) { _ = try Self.facts(bytes) }
    }
}
