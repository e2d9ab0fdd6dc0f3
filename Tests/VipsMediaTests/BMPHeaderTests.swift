import Domain
import Testing

@testable import VipsMedia

@Suite struct BMPHeaderTests {
    private static func decode(_ bytes: [UInt8]) throws -> BMPImage {
        try bytes.withUnsafeBytes { try BMPDecoder(BMPHeader($0), bytes: $0).decode() }
    }

    private static let pixels = [UInt8](repeating: 0, count: 64)

    @Test(
        "kinds that are not read are refused",
        arguments: [
            BitmapSample(compression: 4, pixels: pixels), BitmapSample(compression: 5, pixels: pixels),
            BitmapSample(bits: 0, compression: 4, pixels: pixels), BitmapSample(compression: 11, pixels: pixels),
            BitmapSample(bits: 1, compression: 3, headerSize: 64, pixels: pixels),
            BitmapSample(compression: 4, headerSize: 64, pixels: pixels),
            BitmapSample(bits: 8, compression: 2, pixels: pixels),
            BitmapSample(bits: 4, compression: 1, pixels: pixels),
            BitmapSample(bits: 3, pixels: pixels), BitmapSample(bits: 64, pixels: pixels),
            BitmapSample(bits: 8, compression: 3, masks: [1, 2, 4], pixels: pixels),
        ]
    )
    func unsupported(sample: BitmapSample) throws {
        let error = #expect(throws: BMPError.self) { try Self.decode(sample.bytes) }
        guard case .unsupported = error else { throw Unexpected(error: error) }
    }

    @Test(
        "fields that contradict the format are broken",
        arguments: [
            BitmapSample(width: 0, pixels: pixels), BitmapSample(height: 0, pixels: pixels),
            BitmapSample(width: -2, pixels: pixels), BitmapSample(offset: 20, pixels: pixels),
            BitmapSample(bits: 32, compression: 3, masks: [0xff00ff, 0xff00, 0xff], pixels: pixels),
            BitmapSample(bits: 16, compression: 3, masks: [0x1f800, 0x7e0, 0x1f], pixels: pixels),
            BitmapSample(bits: 16, compression: 3, masks: [0, 0, 0], pixels: pixels),
            BitmapSample(bits: 32, compression: 6, masks: [0xff0000, 0xff00, 0xff, 0x5000_0000], pixels: pixels),
        ]
    )
    func broken(sample: BitmapSample) throws {
        let error = #expect(throws: BMPError.self) { try Self.decode(sample.bytes) }
        guard case .broken = error else { throw Unexpected(error: error) }
    }

    @Test(
        "sizes that the bytes cannot hold are told before memory is taken",
        arguments: [
            (Int(Int32.max), Int(Int32.max), 32), (Int(Int32.max), Int(Int32.min), 24), (1, Int(Int32.min), 1),
            (30_000, 30_000, 8), (100_000, 1, 24), (1, 100_000, 1),
        ]
    )
    func sizes(width: Int, height: Int, bits: Int) {
        let sample = BitmapSample(width: width, height: height, bits: bits, pixels: Self.pixels)
        #expect(throws: BMPError.self) { try Self.decode(sample.bytes) }
    }

    @Test("an offset behind the end is a missing image", arguments: [1, 8, 24])
    func farOffset(bits: Int) {
        let sample = BitmapSample(bits: bits, offset: 0xffff_ffff, pixels: Self.pixels)
        #expect(throws: BMPError.truncated) { try Self.decode(sample.bytes) }
    }

    @Test("colour models tell of palettes and transparency")
    func colorModel() throws {
        let models = try BitmapSample.all.map { try $0.bytes.withUnsafeBytes { try BMPHeader($0).colorModel } }
        #expect(
            models == [
                "rgba", "rgba", "rgba", "rgba", "rgba", "nrgba", "nrgba", "palette2", "palette4", "palette4",
                "palette4",
                "palette256", "palette16",
            ]
        )
    }

    @Test("no bytes stop the decoder", arguments: 0..<5)
    func hostile(seed: UInt64) {
        for sample in BitmapSample.all {
            for bytes in Damage.mutations(of: sample.bytes, count: 100, seed: seed) {
                bytes.withUnsafeBytes { bytes in
                    // The limit is the caller's.
                    guard let header = try? BMPHeader(bytes), header.size.height <= 5000, header.size.width <= 5000,
                        header.size.area <= 1 << 18, let picture = try? BMPDecoder(header, bytes: bytes).decode()
                    else { return }
                    #expect(picture.pixels.count == header.size.area * picture.bands)
                }
            }
        }
    }

    private struct Unexpected: Error {
        let error: BMPError?
    }
}
