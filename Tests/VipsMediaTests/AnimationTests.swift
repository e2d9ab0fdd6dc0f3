import Domain
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// Images that move.
@Suite struct AnimationTests {
    private let size = ImageSize(width: 40, height: 20)
    private let colors: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255]]

    private func render(
        _ chain: String,
        from word: String = "gif",
        limits: ImageLimits = ImageLimits()
    ) async throws -> (image: RenderedImage, header: ImageHeader) {
        let source = try ImageSample.moving(colors, size, as: "format/\(word)")
        let image = try await Rendering().render(chain, source, limits: limits)
        return (image, try await Rendering().open(image.bytes).header)
    }

    @Test(
        "animations stay animations in the two formats that can move",
        arguments: ["gif", "webp"],
        ["gif", "webp"]
    )
    func moving(from: String, to: String) async throws {
        let (image, header) = try await render("imageMogr2/thumbnail/20x/format/\(to)", from: from)
        #expect(header.frames == 3)
        #expect(header.size == ImageSize(width: 20, height: 10))
        let pixels = try Pixels(image.bytes, options: "[n=-1]")
        #expect([5, 15, 25].map { pixels.name(10, $0) } == ["r", "g", "b"])
        #expect(pixels.delays == [100, 200, 300])
        #expect(pixels.loop == 3)
    }

    @Test("other results are the first frame", arguments: ["jpg", "png", "avif"])
    func still(word: String) async throws {
        let source = try ImageSample.moving(colors, size, as: "format/gif")
        let image = try await Rendering().render("imageMogr2/thumbnail/20x/format/\(word)", source)
        let pixels = try Pixels(image.bytes)
        #expect(pixels.size == ImageSize(width: 20, height: 10))
        #expect(pixels.name(10, 5) == "r")
    }

    @Test(
        "each frame is worked on by itself",
        arguments: [
            ("imageMogr2/crop/10x10", "10x10"), ("imageMogr2/rotate/90", "20x40"), ("imageView2/1/w/8/h/8", "8x8"),
            ("imageMogr2/blur/3x1", "40x20"), ("watermark/2/text/SA", "40x20"), ("imageMogr2/rotate/45", "43x43"),
        ]
    )
    func steps(chain: String, expected: String) async throws {
        let (image, header) = try await render(chain)
        #expect(header.frames == 3)
        #expect(header.size.description == expected)
        let height = header.size.height
        let pixels = try Pixels(image.bytes, options: "[n=-1]")
        #expect((0..<3).map { pixels.name(header.size.width / 2, $0 * height + height / 2) } == ["r", "g", "b"])
    }

    @Test(
        "animations beyond the limits become their first frame",
        arguments: [ImageLimits(frames: 2), ImageLimits(animationPixels: 2399)]
    )
    func limits(limits: ImageLimits) async throws {
        let (_, header) = try await render("imageMogr2/strip", limits: limits)
        #expect(header.frames == 1)
        #expect(header.size == size)
    }

    @Test("what is cut short is refused, at every quarter of it", arguments: ["gif", "webp"], 1...3)
    func truncated(word: String, quarters: Int) async throws {
        let whole = try ImageSample.moving(colors, size, as: "format/\(word)")
        let cut = try #require(whole.getSlice(at: 0, length: whole.readableBytes * quarters / 4))
        let error = await #expect(throws: ServiceError.self) {
            try await Rendering().render("imageMogr2/thumbnail/20x", cut)
        }
        #expect(error?.code == .notAnImage)
    }
}
