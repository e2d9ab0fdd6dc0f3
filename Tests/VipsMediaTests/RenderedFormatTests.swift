import Domain
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// Every format becomes every format, with the same image in it.
@Suite struct RenderedFormatTests {
    private static let sources = ["jpeg", "png", "webp", "gif", "bmp"]

    private func source(_ name: String, _ pixels: [UInt8] = ImageSample.quarters()) throws -> ByteBuffer {
        switch name {
        case "bmp":
            let starts = stride(from: 0, to: pixels.count, by: 3)
            let rows: [UInt8] = starts.flatMap { start in Array(pixels[start..<start + 3].reversed()) }
            return ByteBuffer(bytes: BitmapSample(width: 48, height: -32, pixels: rows).bytes)
        default: return try ImageSample.encoded(pixels, as: "format/\(name)/q/90")
        }
    }

    @Test("formats become formats", arguments: sources, ImageFormat.allCases)
    func formats(name: String, format: ImageFormat) async throws {
        let image = try await Rendering().render("imageMogr2/thumbnail/24x/format/\(format.rawValue)", source(name))
        #expect(image.format == format)
        let bytes = Array(image.bytes.readableBytesView)
        let starts: [ImageFormat: [UInt8]] = [
            .jpeg: [0xff, 0xd8, 0xff], .png: [0x89, 0x50, 0x4e, 0x47], .webp: Array("RIFF".utf8),
            .gif: Array("GIF8".utf8), .avif: bytes.prefix(4) + Array("ftypavif".utf8),
        ]
        #expect(bytes.starts(with: try #require(starts[format])))
        let pixels = try Pixels(image.bytes)
        #expect(pixels.size == ImageSize(width: 24, height: 16))
        #expect(pixels.corners == "rgbw")
    }

    @Test(
        "without a word the format is the source's, or the nearest that browsers show",
        arguments: zip(sources, [ImageFormat.jpeg, .png, .webp, .gif, .jpeg])
    )
    func ownFormat(name: String, format: ImageFormat) async throws {
        #expect(try await Rendering().render("imageView2/2/w/24", source(name)).format == format)
    }

    @Test("transparency stays where the format has it", arguments: ["png", "webp", "avif", "gif"])
    func transparency(word: String) async throws {
        let source = try ImageSample.encoded(ImageSample.quarters(hasAlpha: true), as: "format/png")
        #expect(try await Rendering().pixels("imageMogr2/format/\(word)", source).corners == "rgb-")
    }

    @Test(
        "what is transparent is laid on white, or on the colour that is said",
        arguments: [("", "rgbw"), ("/background/cmVk", "rgbr"), ("/background/IzAwMDBmZg", "rgbb")]
    )
    func flattened(operations: String, corners: String) async throws {
        let source = try ImageSample.encoded(ImageSample.quarters(hasAlpha: true), as: "format/png")
        #expect(try await Rendering().pixels("imageMogr2/format/jpg/q/95\(operations)", source).corners == corners)
    }

    @Test("a lower quality is a smaller file", arguments: ["jpeg", "webp", "avif"])
    func quality(word: String) async throws {
        var sizes: [Int] = []
        for quality in [10, 50, 90] {
            let chain = "imageMogr2/thumbnail/200x/format/\(word)/q/\(quality)!"
            sizes.append(try await Rendering().render(chain, Samples.rocket()).bytes.readableBytes)
        }
        #expect(sizes == sizes.sorted())
        #expect(sizes[0] < sizes[2] / 2)
    }

    @Test("interlace makes a JPEG in passes, and an image that is as good")
    func interlace() async throws {
        let image = try await Rendering().render("imageMogr2/thumbnail/200x/interlace/1", Samples.rocket())
        #expect(try await Rendering().open(image.bytes).header.isProgressive)
    }

    @Test("a GIF has at most as many colours as are asked for", arguments: [2, 4, 16, 256])
    func colors(count: Int) async throws {
        let chain = "imageMogr2/thumbnail/100x/format/gif/colors/\(count)"
        let pixels = try await Rendering().pixels(chain, Samples.rocket())
        let starts = stride(from: 0, to: pixels.bytes.count, by: pixels.bands)
        let colors = Set(starts.map { Array(pixels.bytes[$0..<$0 + pixels.bands]) })
        #expect(colors.count <= count)
        #expect(colors.count > count / 4)
    }

    @Test("a limit on bytes lowers a JPEG's quality until it fits", arguments: [4000, 8000, 12000])
    func sizeLimit(bytes: Int) async throws {
        let image = try await Rendering().render("imageMogr2/thumbnail/400x/size-limit/\(bytes)", Samples.rocket())
        #expect(image.bytes.readableBytes <= bytes)
        // The next better quality is not far.
        #expect(image.bytes.readableBytes > bytes * 8 / 10)
    }

    @Test("a limit that no quality meets gives the lowest one")
    func tooSmallLimit() async throws {
        let image = try await Rendering().render("imageMogr2/thumbnail/400x/size-limit/100", Samples.rocket())
        #expect(try await Rendering().open(image.bytes).header.quality == 10)
    }

    @Test("slimming makes a PNG of few colours")
    func slim() async throws {
        let source = try await Rendering().render("imageMogr2/thumbnail/200x/format/png", Samples.rocket()).bytes
        let image = try await Rendering().render("imageslim", source)
        #expect(image.bytes.readableBytes < source.readableBytes / 2)
        #expect(try await Rendering().open(image.bytes).header.colorModel.hasPrefix("palette"))
    }
}
