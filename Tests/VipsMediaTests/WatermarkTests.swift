import Domain
import Foundation
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// Where marks lie, and how much of them shows.
@Suite struct WatermarkTests {
    private static let size = ImageSize(width: 200, height: 120)

    private func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    }

    /// Marks a black image; the mark is red, 20x10.
    private func marked(_ chain: String, _ mark: [UInt8] = [255, 0, 0]) async throws -> Pixels {
        let black = ImageSample.plain([0, 0, 0], Self.size)
        let markSize = ImageSize(width: 20, height: 10)
        return try await Rendering().pixels(
            chain,
            ImageSample.encoded(black, Self.size, as: "format/png"),
            marks: ["m.png": ImageSample.encoded(ImageSample.plain(mark, markSize), markSize, as: "format/png")]
        )
    }

    /// The smallest rectangle that holds everything that is not black: `20x10 at 170,100`.
    private func place(_ pixels: Pixels) -> String {
        let seen = (0..<pixels.size.area).map { ($0 % pixels.size.width, $0 / pixels.size.width) }
            .filter { pixels[$0.0, $0.1].prefix(3).max() ?? 0 > 40 }
        guard let left = seen.map(\.0).min(), let right = seen.map(\.0).max(), let top = seen.map(\.1).min(),
            let bottom = seen.map(\.1).max()
        else { return "nowhere" }
        return "\(right - left + 1)x\(bottom - top + 1) at \(left),\(top)"
    }

    @Test(
        "an image lies at its edge",
        arguments: [
            ("", "20x10 at 170,100"), ("/gravity/NorthWest", "20x10 at 10,10"),
            ("/gravity/NorthEast/dx/0/dy/5", "20x10 at 180,5"), ("/gravity/SouthWest/dx/3/dy/0", "20x10 at 3,110"),
            ("/gravity/Center/dx/0/dy/0", "20x10 at 90,55"), ("/gravity/Center", "20x10 at 100,65"),
            ("/gravity/NorthWest/dx/-5/dy/-4", "15x6 at 0,0"), ("/gravity/East/dx/0/dy/0", "20x10 at 180,55"),
            ("/gravity/NorthWest/dx/500", "nowhere"), ("/gravity/NorthWest/dx/0/dy/0/ws/0.5", "120x60 at 0,0"),
            ("/gravity/NorthWest/dx/0/dy/0/ws/1/wst/2", "200x100 at 0,0"),
            ("/gravity/NorthWest/dx/0/dy/0/ws/1/wst/3", "200x100 at 0,0"),
        ]
    )
    func picture(operations: String, expected: String) async throws {
        let pixels = try await marked("watermark/1/image/\(base64("m.png"))\(operations)")
        #expect(pixels.size == Self.size)
        #expect(place(pixels) == expected)
    }

    @Test("opacity mixes a mark with what is below it", arguments: [(100, 255), (50, 127), (1, 3)])
    func dissolve(percent: Int, red: Int) async throws {
        let operations = "/gravity/NorthWest/dx/0/dy/0/dissolve/\(percent)"
        let pixels = try await marked("watermark/1/image/\(base64("m.png"))\(operations)")
        #expect(abs(Int(pixels[5, 5][0]) - red) <= 2, "\(pixels[5, 5])")
        #expect(pixels[50, 50] == [0, 0, 0])
    }

    @Test("what is transparent of a mark shows nothing")
    func transparentMark() async throws {
        let pixels = try await marked("watermark/1/image/\(base64("m.png"))", [255, 0, 0, 0])
        #expect(place(pixels) == "nowhere")
    }

    @Test("an image with transparency keeps it around a mark")
    func transparentPicture() async throws {
        let clear = ImageSample.plain([0, 0, 0, 0], Self.size)
        let markSize = ImageSize(width: 20, height: 10)
        let pixels = try await Rendering().pixels(
            "watermark/1/image/\(base64("m.png"))",
            ImageSample.encoded(clear, Self.size, as: "format/png"),
            marks: [
                "m.png": ImageSample.encoded(ImageSample.plain([255, 0, 0], markSize), markSize, as: "format/png")
            ]
        )
        #expect(pixels.name(175, 105) == "r")
        #expect(pixels.name(5, 5) == "-")
    }

    @Test("a text has its colour, its height and its place", arguments: [("cmVk", 0), ("bGltZQ", 1), ("Ymx1ZQ", 2)])
    func text(fill: String, band: Int) async throws {
        let operations = "text/\(base64("HHH"))/fontsize/800/fill/\(fill)/gravity/NorthWest/dx/0/dy/0"
        let pixels = try await marked("watermark/2/\(operations)")
        let whole = (0..<pixels.size.area).map { pixels[$0 % Self.size.width, $0 / Self.size.width] }
        let brightest = (0..<3).map { band in whole.map { $0[band] }.max() ?? 0 }
        #expect(brightest == (0..<3).map { $0 == band ? 255 : 0 })
        // A capital letter of 40 pixels is about 29 high.
        let height = try #require(Int(place(pixels).split(separator: " ")[0].split(separator: "x")[1]))
        #expect((25...33).contains(height), "\(place(pixels))")
    }

    @Test("a text is taken as it is, whatever it holds", arguments: ["<b>", "&amp;", "a & b", "</span>", "照片", "%s%n"])
    func strangeText(text: String) async throws {
        let pixels = try await marked("watermark/2/text/\(base64(text))/fontsize/600")
        #expect(place(pixels) != "nowhere")
    }

    @Test("a font that there is not is another one")
    func unknownFont() async throws {
        let pixels = try await marked("watermark/2/text/\(base64("H"))/font/\(base64("No Such Font"))/fontsize/600")
        #expect(place(pixels) != "nowhere")
    }

    @Test("tiles cover the whole image, turned or not", arguments: [0, 30, 90, 359])
    func tiles(degrees: Int) async throws {
        let operations = "text/\(base64("HH"))/fontsize/300/rotate/\(degrees)/uw/10/uh/10"
        let pixels = try await marked("watermark/4/\(operations)")
        for (columns, rows) in [(0..<100, 0..<60), (100..<200, 0..<60), (0..<100, 60..<120), (100..<200, 60..<120)] {
            let seen = rows.contains { y in columns.contains { pixels[$0, y][0] > 128 } }
            #expect(seen, "\(columns) \(rows)")
        }
    }

    @Test(
        "small cells of tiles are repeated to blocks of at least 64 pixels a side",
        arguments: [
            (ImageSize(width: 1, height: 1), ImageSize(width: 64, height: 64)),
            (ImageSize(width: 3, height: 40), ImageSize(width: 66, height: 80)),
            (ImageSize(width: 100, height: 10), ImageSize(width: 100, height: 70)),
            (ImageSize(width: 64, height: 65), ImageSize(width: 64, height: 65)),
        ]
    )
    func blocks(cell: ImageSize, block: ImageSize) throws {
        // Starts libvips.
        _ = try Rendering()
        let image = try VipsImageHandle([UInt8](repeating: 9, count: cell.area * 3)[...], size: cell, bands: 3)
        let size = try image.block().size
        #expect(size == block)
    }

    @Test("small tiles are repeated without a seam")
    func seams() async throws {
        let pixels = try await marked("watermark/4/text/\(base64("H"))/fontsize/200/uw/3/uh/3")
        let columns = (0..<Self.size.width).map { x in (0..<Self.size.height).map { pixels[x, $0] } }
        let rows = (0..<Self.size.height).map { y in (0..<Self.size.width).map { pixels[$0, y] } }
        for lines in [columns, rows] {
            // The distance from one tile to the next.
            let period = (2..<30).first { lines.dropFirst($0).elementsEqual(lines.dropLast($0)) }
            #expect(period != nil)
        }
    }

    @Test("several marks lie one over the other, the last one on top")
    func several() async throws {
        let image = "image/\(base64("m.png"))/gravity/NorthWest/dx/0/dy/0"
        let text = "text/\(base64("████"))/fontsize/400/fill/\(base64("blue"))/gravity/NorthWest/dx/0/dy/0"
        let above = try await marked("watermark/3/\(image)/\(text)")
        let below = try await marked("watermark/3/\(text)/\(image)")
        #expect(below.name(10, 5) == "r")
        #expect(above.name(10, 8) == "b")
    }
}
