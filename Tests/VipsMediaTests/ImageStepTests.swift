import Domain
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// What rotating, blurring and sharpening do to pixels.
@Suite struct ImageStepTests {
    private let size = ImageSize(width: 48, height: 32)

    private func pixels(_ chain: String, _ operations: String = "format/png") async throws -> Pixels {
        try await Rendering().pixels(chain, ImageSample.encoded(as: operations))
    }

    @Test("right angles are exact", arguments: [(90, "brwg"), (180, "wbgr"), (270, "gwrb"), (360, "rgbw")])
    func rightAngles(degrees: Int, corners: String) async throws {
        let pixels = try await pixels("imageMogr2/rotate/\(degrees)")
        #expect(pixels.size == (degrees % 180 == 0 ? size : size.turned))
        #expect(pixels.corners == corners)
        let colors = Set((0..<pixels.size.area).map { pixels[$0 % pixels.size.width, $0 / pixels.size.width] })
        #expect(colors.count == 4)
    }

    @Test(
        "corners that a rotation leaves free are white, or of the colour that is said",
        arguments: [("", "wwww"), ("/background/Ymx1ZQ", "bbbb"), ("/background/I2YwMA", "rrrr")]
    )
    func corners(operations: String, corners: String) async throws {
        let pixels = try await pixels("imageMogr2/rotate/45\(operations)")
        #expect(pixels.size == ImageSize(width: 57, height: 57))
        #expect(pixels.corners == corners)
    }

    @Test("clockwise is the way that clocks go")
    func clockwise() async throws {
        let pixels = try await pixels("imageMogr2/rotate/45")
        // Red was at the upper left: it is at the top now, and green at the right.
        #expect(pixels.name(28, 10) == "r")
        #expect(pixels.name(46, 28) == "g")
        #expect(pixels.name(10, 28) == "b")
    }

    @Test("a blur mixes what lies at an edge, and leaves what is far from it")
    func blur() async throws {
        let sharp = try await pixels("imageMogr2/format/png")
        let soft = try await pixels("imageMogr2/blur/6x2")
        #expect(sharp[23, 4] == [255, 0, 0])
        let edge = soft[23, 4]
        #expect((100...200).contains(edge[0]) && (50...150).contains(edge[1]), "\(edge)")
        #expect(soft[2, 2] == [255, 0, 0])
    }

    @Test("a blur is cut off at its radius", arguments: [1, 5, 20])
    func radius(radius: Int) async throws {
        let row: [UInt8] = (0..<100).flatMap { [$0 < 50 ? 0 : 255, 0, 0] }
        let rows = (0..<10).flatMap { _ in row }
        let source = try ImageSample.encoded(rows, ImageSize(width: 100, height: 10), as: "format/png")
        let soft = try await Rendering().pixels("imageMogr2/blur/\(radius)x50", source)
        let changed = (0..<50).filter { soft[$0, 5] != [0, 0, 0] }
        #expect(changed == Array(50 - radius..<50))
    }

    @Test("sharpening a photograph makes its edges stronger, and its plain parts no different")
    func sharpen() async throws {
        let plain = try await Rendering().pixels("imageMogr2/thumbnail/200x/format/png", Samples.rocket())
        let sharp = try await Rendering().pixels("imageMogr2/thumbnail/200x/sharpen/1/format/png", Samples.rocket())
        func contrast(_ pixels: Pixels) -> Int {
            (1..<pixels.size.width).reduce(0) { sum, x in
                sum + abs(Int(pixels[x, 60][1]) - Int(pixels[x - 1, 60][1]))
            }
        }
        #expect(sharp.size == plain.size)
        #expect(contrast(sharp) > contrast(plain))
        let flat = ImageSample.plain([90, 120, 150], size)
        let source = try ImageSample.encoded(flat, size, as: "format/png")
        let same = try await Rendering().pixels("imageMogr2/sharpen/1", source)
        #expect(same.difference(from: try Pixels(source), in: 0..<48, 0..<32) <= 1)
    }

    @Test("the mean colour of an image is told, on white")
    func average() async throws {
        let rendering = try Rendering()
        let cases: [([UInt8], Color)] = [
            ([10, 20, 30], Color(red: 10, green: 20, blue: 30)), ([0, 0, 0, 0], .white),
        ]
        for (pixel, color) in cases {
            let bytes = try ImageSample.encoded(ImageSample.plain(pixel, size), size, as: "format/png")
            let image = try await rendering.open(bytes)
            #expect(
                try await rendering.renderer.average(of: image, with: .normal, until: .now + .seconds(600)) == color
            )
        }
    }
}
