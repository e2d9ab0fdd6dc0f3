import Testing

@testable import VipsMedia

@Suite struct GIFFactsTests {
    /// A screen with a table of four colours.
    private static let head = Array("GIF89a".utf8) + [9, 0, 9, 0, 0x81, 0, 0] + [UInt8](repeating: 7, count: 12)
    private static let control: [UInt8] = [0x21, 0xf9, 4, 0, 5, 0, 0, 0]
    /// A frame with a table of two colours and two pieces of data.
    private static let frame: [UInt8] = [
        0x2c, 0, 0, 0, 0, 9, 0, 9, 0, 0x80, 1, 2, 3, 4, 5, 6, 2, 3, 0x2c, 0x3b, 9, 1, 8, 0,
    ]
    /// A frame without a table.
    private static let plain: [UInt8] = [0x2c, 0, 0, 0, 0, 9, 0, 9, 0, 0, 2, 1, 8, 0]

    private static func facts(_ bytes: [UInt8]) throws -> GIFFacts? {
        try bytes.withUnsafeBytes { try GIFFacts(ByteWindow($0)) }
    }

    @Test("frames are counted, whatever is between them", arguments: [0, 1, 5, 5000])
    func frames(count: Int) throws {
        let frames = (0..<count).flatMap { Self.control + ($0 % 2 == 0 ? Self.frame : Self.plain) }
        let facts = try #require(try Self.facts(Self.head + frames + [0x3b]))
        #expect(facts.frames == count)
        #expect(facts.isWhole)
    }

    @Test("what stands behind the trailer counts for nothing")
    func behind() throws {
        #expect(try Self.facts(Self.head + Self.plain + [0x3b] + Self.plain)?.frames == 1)
    }

    @Test("a GIF is whole without its trailer, if no block is cut")
    func noTrailer() throws {
        #expect(try Self.facts(Self.head + Self.frame + Self.control)?.isWhole == true)
    }

    @Test("a GIF that ends within a frame is not whole", arguments: 1..<24)
    func cut(length: Int) throws {
        let facts = try #require(try Self.facts(Self.head + Self.plain + Self.frame.prefix(length)))
        #expect(!facts.isWhole)
        #expect(facts.frames == 2)
    }

    @Test("more blocks than are looked at are not whole")
    func spent() throws {
        let controls = [[UInt8]](repeating: Self.control, count: 200_000)
        #expect(try Self.facts(Self.head + Array(controls.joined()))?.isWhole == false)
    }

    @Test("what is no GIF gives no facts", arguments: ["", "GIF", "GIF89a", "PNG89aaaaaaaaaaa"])
    func other(text: String) throws {
        #expect(try Self.facts(Array(text.utf8)) == nil)
    }

    @Test("no bytes stop the walk", arguments: 0..<5)
    func hostile(seed: UInt64) throws {
        let sample = Self.head + Self.control + Self.frame + Self.plain + [0x3b]
        for bytes in Damage.mutations(of: sample, count: 200, seed: seed) { _ = try Self.facts(bytes) }
        for bytes in Damage.truncations(of: sample) { _ = try Self.facts(bytes) }
    }
}
