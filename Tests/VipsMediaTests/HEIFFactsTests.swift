import Testing

@testable import VipsMedia

@Suite struct HEIFFactsTests {
    private static func big(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(number >> $0 & 0xff) }
    }

    private static func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
        big(8 + body.count) + Array(name.utf8) + body
    }

    /// A box whose length has 64 bits.
    private static func longBox(_ name: String, _ body: [UInt8]) -> [UInt8] {
        big(1) + Array(name.utf8) + big(0) + big(16 + body.count) + body
    }

    private static func isSequence(_ bytes: [UInt8]) throws -> Bool {
        try bytes.withUnsafeBytes { try HEIFFacts(ByteWindow($0)).isSequence }
    }

    private static func file(_ boxes: [UInt8]...) -> [UInt8] { Array(boxes.joined()) }

    private static let brands = box("ftyp", Array("avif\0\0\0\0avis".utf8))
    private static let still = file(box("meta", [UInt8](repeating: 1, count: 300)), box("mdat", Array("moov".utf8)))
    private static let movie = box("moov", [1, 2, 3])
    private static let long = longBox("mdat", [1, 2, 3])
    /// The last box of a file.
    private static let endless = big(0) + Array("mdat".utf8)
    /// A box that is shorter than its head.
    private static let short = big(7) + Array("free".utf8)

    @Test(
        "a file with a movie beside its still image is a sequence, wherever the movie is",
        arguments: [
            (file(brands, still), false), (file(brands, still, movie), true), (file(brands, movie, still), true),
            (file(brands, long, movie), true), (file(brands, long, still), false),
            (file(brands, endless, movie), false), (file(brands, short, movie), false), (brands, false),
            (file(), false),
        ] as [([UInt8], Bool)]
    )
    func sequence(bytes: [UInt8], isSequence: Bool) throws {
        #expect(try Self.isSequence(bytes) == isSequence)
    }

    @Test("a file with more boxes than are read counts as a sequence")
    func spent() throws {
        let boxes = [[UInt8]](repeating: Self.box("free", [UInt8](repeating: 0, count: 1100)), count: 1200)
        #expect(try Self.isSequence(Self.file(Self.brands, Array(boxes.joined()))))
    }

    @Test("no bytes stop the walk", arguments: 0..<5)
    func hostile(seed: UInt64) throws {
        let sample = Self.file(Self.brands, Self.long, Self.still, Self.movie)
        for bytes in Damage.mutations(of: sample, count: 200, seed: seed) { _ = try Self.isSequence(bytes) }
        for bytes in Damage.truncations(of: sample) { _ = try Self.isSequence(bytes) }
    }
}
