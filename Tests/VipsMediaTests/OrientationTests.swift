import Domain
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// EXIF's eight orientations (Exif 2.3, section 4.6.4): what is red, green, blue and white as it lies, and upright.
@Suite struct OrientationTests {
    /// The corners of the image upright, row by row.
    private static let upright = ["rgbw", "grwb", "wbgr", "bwrg", "rbgw", "brwg", "wgbr", "gwrb"]

    private static let all = Array(zip(1..., upright))

    private func size(_ orientation: Int, _ lying: ImageSize) -> ImageSize {
        orientation >= 5 ? lying.turned : lying
    }

    @Test("an image is turned while it is decoded", arguments: all)
    func first(orientation: Int, corners: String) async throws {
        for chain in ["imageMogr2/auto-orient", "imageView2/2/w/4000"] {
            let pixels = try await Rendering().pixels(chain, TagSample.turned(orientation))
            #expect(pixels.corners == corners)
            #expect(pixels.size == size(orientation, ImageSize(width: 48, height: 32)))
        }
    }

    @Test("an image is turned and scaled at once", arguments: all)
    func scaled(orientation: Int, corners: String) async throws {
        let pixels = try await Rendering().pixels("imageView2/1/w/20/h/20", TagSample.turned(orientation))
        #expect(pixels.corners == corners)
        #expect(pixels.size == ImageSize(width: 20, height: 20))
    }

    @Test("an image is turned behind other steps", arguments: all)
    func later(orientation: Int, corners: String) async throws {
        let chain = "imageMogr2/gravity/Center/crop/40x24/auto-orient"
        let pixels = try await Rendering().pixels(chain, TagSample.turned(orientation))
        #expect(pixels.corners == corners)
        #expect(pixels.size == size(orientation, ImageSize(width: 40, height: 24)))
    }

    @Test("an image that no step rotated retains its orientation", arguments: 1...8)
    func kept(orientation: Int) async throws {
        let image = try await Rendering().render("imageMogr2/thumbnail/24x", TagSample.turned(orientation))
        let header = try await Rendering().open(image.bytes).header
        #expect(header.orientation == orientation)
        #expect(header.size == ImageSize(width: 24, height: 16))
        #expect(try Pixels(image.bytes).corners == "rgbw")
    }

    @Test(
        "an orientation is left out when it is asked for, was applied, or cannot be said",
        arguments: [
            "imageMogr2/thumbnail/24x/strip", "imageMogr2/auto-orient/thumbnail/24x", "imageView2/2/w/24",
            "imageMogr2/thumbnail/24x/format/gif",
        ]
    )
    func dropped(chain: String) async throws {
        let image = try await Rendering().render(chain, TagSample.turned(6))
        #expect(try await Rendering().open(image.bytes).header.hasOrientation == false)
    }

    @Test("a WebP says the orientation that is left, too")
    func webP() async throws {
        let image = try await Rendering().render("imageMogr2/thumbnail/24x/format/webp", TagSample.turned(6))
        #expect(try await Rendering().open(image.bytes).header.orientation == 6)
    }
}
