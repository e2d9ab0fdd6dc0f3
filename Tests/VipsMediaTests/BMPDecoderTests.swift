import Domain
import Testing

@testable import VipsMedia

@Suite struct BMPDecoderTests {
    private static func decode(_ bytes: [UInt8]) throws -> BMPImage {
        try bytes.withUnsafeBytes { try BMPDecoder(BMPHeader($0), bytes: $0).decode() }
    }

    /// Rows of colours by name, `.` being black and `t` half a red.
    private func named(_ picture: BMPImage) -> [String] {
        let names: [[UInt8]: String] = [
            [255, 0, 0]: "r", [0, 255, 0]: "g", [0, 0, 255]: "b", [255, 255, 255]: "w", [0, 0, 0]: ".",
            [255, 0, 0, 255]: "r", [0, 255, 0, 255]: "g", [0, 0, 255, 255]: "b", [255, 255, 255, 255]: "w",
            [255, 0, 0, 128]: "t",
        ]
        return (0..<picture.size.height).map { row in
            (0..<picture.size.width).map { column in
                let start = (row * picture.size.width + column) * picture.bands
                return names[Array(picture.pixels[start..<start + picture.bands])] ?? "?"
            }
            .joined()
        }
    }

    private func rows(_ sample: BitmapSample) throws -> [String] {
        named(try Self.decode(sample.bytes))
    }

    private let fourColors = BitmapSample.fourColors

    @Test("rows stand on their heads unless the height is negative", arguments: [12, 40, 52, 56, 64, 108, 124])
    func headers(headerSize: Int) throws {
        let pixels: [UInt8] = [0, 0, 255, 0, 255, 0, 0, 0, 255, 0, 0, 255, 255, 255, 0, 0]
        var sample = BitmapSample(headerSize: headerSize, gap: 5, pixels: pixels)
        #expect(try rows(sample) == ["bw", "rg"])
        guard headerSize > 12 else { return }
        sample.height = -2
        #expect(try rows(sample) == ["rg", "bw"])
    }

    @Test("indices of every width", arguments: [12, 40])
    func indices(headerSize: Int) throws {
        let upper: [Int: [UInt8]] = [
            1: [0xb0], 2: [0x1b, 0x1b], 4: [0x01, 0x23, 0x01, 0x23], 8: [0, 1, 2, 3, 0, 1, 2, 3],
        ]
        for (bits, row) in upper {
            let padded = row + [UInt8](repeating: 0, count: (4 - row.count % 4) % 4)
            var sample = BitmapSample(width: 8, height: 1, bits: bits, headerSize: headerSize, pixels: padded)
            let black: [[UInt8]] = Array(repeating: [0, 0, 0], count: max(0, (1 << bits) - 4))
            sample.palette = fourColors.prefix(1 << bits) + black
            #expect(try rows(sample) == [bits == 1 ? "grggrrrr" : "rgbwrgbw"])
        }
    }

    @Test("an index beyond the palette is black, and a palette may be longer than indices reach")
    func palettes() throws {
        var sample = BitmapSample(bits: 8, colors: 4, palette: fourColors, pixels: [4, 255, 0, 0, 3, 0, 0, 0])
        #expect(try rows(sample) == ["wr", ".."])
        sample = BitmapSample(bits: 1, colors: 4, palette: fourColors, pixels: [0x40, 0, 0, 0, 0x80, 0, 0, 0])
        #expect(try rows(sample) == ["gr", "rg"])
    }

    @Test("pixels of a bitmap that does not say where they are lie behind the palette", arguments: [0, 54])
    func noOffset(offset: Int) throws {
        let pixels: [UInt8] = [0, 1, 0, 0, 2, 3, 0, 0]
        #expect(
            try rows(BitmapSample(bits: 8, colors: 4, palette: fourColors, offset: offset, pixels: pixels)) == [
                "bw", "rg",
            ]
        )
    }

    @Test("the fourth byte of plain 32 bits is no alpha")
    func plain32() throws {
        let pixels: [UInt8] = [0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0]
        #expect(try rows(BitmapSample(bits: 32, headerSize: 108, pixels: pixels)) == ["bw", "rg"])
    }

    @Test(
        "masks of any width, and alpha if there is one",
        arguments: [
            (16, 0, 40, [], 3, [0x7c00, 0x3e0, 0x1f, 0xffff]),
            (16, 3, 40, [0xf800, 0x7e0, 0x1f], 3, [0xf800, 0x7e0, 0x1f, 0xffff]),
            (16, 3, 56, [0xf00, 0xf0, 0xf, 0xf000], 4, [0xff00, 0xf0f0, 0xf00f, 0xffff]),
            (16, 3, 124, [0xf800, 0x7e0, 0x1f, 0xff00_0000], 3, [0xf800, 0x7e0, 0x1f, 0xffff]),
            (32, 3, 52, [0xff, 0xff00, 0xff_0000], 3, [0xff, 0xff00, 0xff_0000, 0xffff_ffff]),
            (
                32, 6, 40, [0xff, 0xff00, 0xff_0000, 0xff00_0000], 4,
                [0xff00_00ff, 0xff00_ff00, 0xffff_0000, 0xffff_ffff]
            ),
            (32, 3, 40, [0xffe0_0000, 0x1f_fc00, 0x3ff], 3, [0xffe0_0000, 0x1f_fc00, 0x3ff, 0xffff_ffff]),
            (32, 3, 124, [0x1, 0xffff_fffe, 0, 0], 3, [1, 0xffff_fffe, 0, 1]),
        ] as [(Int, Int, Int, [UInt32], Int, [UInt32])]
    )
    func masks(
        bits: Int,
        compression: Int,
        headerSize: Int,
        masks: [UInt32],
        bands: Int,
        pixels: [UInt32]
    ) throws {
        let bytes = pixels.flatMap { pixel in (0..<bits / 8).map { UInt8(truncatingIfNeeded: pixel >> UInt32(8 * $0)) }
        }
        var sample = BitmapSample(bits: bits, compression: compression, headerSize: headerSize, masks: masks)
        sample.pixels = bytes
        let picture = try Self.decode(sample.bytes)
        #expect(picture.bands == bands)
        #expect(named(picture) == (masks.contains(0xffff_fffe) ? [".r", "rg"] : ["bw", "rg"]))
    }

    @Test("channels of few bits are spread over the whole range")
    func spread() throws {
        let pixels = (0..<32).flatMap { [$0, 0] as [UInt8] }
        let picture = try Self.decode(BitmapSample(width: 32, height: 1, bits: 16, pixels: pixels).bytes)
        let blues = stride(from: 2, to: picture.pixels.count, by: 3).map { Int(picture.pixels[$0]) }
        #expect(blues == (0..<32).map { Int((Double($0) * 255 / 31).rounded()) })
    }

    @Test("32 bits whose masks are all empty have the usual order with alpha")
    func emptyMasks() throws {
        let pixels: [UInt8] = [0, 0, 255, 128, 0, 0, 255, 255]
        var sample = BitmapSample(height: 1, bits: 32, compression: 3, headerSize: 108, pixels: pixels)
        sample.masks = [0, 0, 0, 0]
        #expect(try rows(sample) == ["tr"])
    }

    @Test("runs: lengths, single indices, line ends, jumps and the end")
    func runs() throws {
        let samples = BitmapSample.all.suffix(2)
        #expect(
            try samples.map(rows) == [["rrrrgbwr", "rrrrrrrr", "gggbwrrr"], ["rrwgwgwg", "rrrrrrrr", "gbgbggbw"]]
        )
    }

    @Test("runs beyond the end of a row are cut off, and a bitmap may end early")
    func longRuns() throws {
        let pixels: [UInt8] = [255, 1, 2, 1, 0, 4, 1, 1, 1, 1, 0, 0, 1, 2, 0, 1]
        let sample = BitmapSample(width: 3, height: 3, bits: 8, compression: 1, palette: fourColors, pixels: pixels)
        #expect(try rows(sample) == ["rrr", "brr", "ggg"])
    }

    @Test("a header says what it will be", arguments: BitmapSample.all)
    func header(sample: BitmapSample) throws {
        let head = Array(sample.bytes.prefix(BMPHeader.maxLength))
        let header = try head.withUnsafeBytes { bytes throws in try BMPHeader(bytes) }
        let picture = try Self.decode(sample.bytes)
        #expect(header.size == ImageSize(width: sample.width, height: abs(sample.height)))
        #expect(header.size == picture.size)
        #expect(header.bitsPerPixel == sample.bits)
        #expect(picture.bands == (header.hasAlpha ? 4 : 3))
        #expect(picture.pixels.count == header.size.area * picture.bands)
    }

    @Test("bitmaps without their last pixels are broken", arguments: BitmapSample.all)
    func truncated(sample: BitmapSample) {
        // Up to three bytes may be missing: padding of the last row, or the mark of the end behind runs.
        for bytes in Damage.truncations(of: sample.bytes).dropLast(3) {
            #expect(throws: BMPError.self) { try Self.decode(bytes) }
        }
    }
}
