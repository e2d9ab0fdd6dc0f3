import Domain
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// Images have the sizes that their plans say, and what was cut out is the right part.
@Suite struct RenderedSizeTests {
    @Test(
        "a photograph of 640x427",
        arguments: [
            ("imageView2/2/w/200/h/200", "200x133"), ("imageView2/2/h/100", "150x100"),
            ("imageView2/2/w/5000", "640x427"), ("imageView2/1/w/100/h/100", "100x100"),
            ("imageView2/0/w/200/h/100", "150x100"), ("imageView2/3/w/100/h/100", "150x100"),
            ("imageView2/5/w/300/h/20", "300x20"), ("imageView/1/w/1000/h/900", "1000x900"),
            ("imageMogr2/thumbnail/!50p", "320x214"), ("imageMogr2/thumbnail/33x400!", "33x400"),
            ("imageMogr2/thumbnail/1280x", "1280x854"), ("imageMogr2/thumbnail/10000@", "122x81"),
            ("imageMogr2/crop/300x200", "300x200"), ("imageMogr2/crop/!300x200a500a300", "140x127"),
            ("imageMogr2/rotate/90", "427x640"), ("imageMogr2/rotate/45", "755x755"),
            ("imageMogr2/thumbnail/1x1!", "1x1"), ("imageslim", "640x427"),
            ("imageMogr2/thumbnail/100x|imageView2/1/w/50/h/50", "50x50"),
        ]
    )
    func photograph(chain: String, expected: String) async throws {
        let pixels = try await Rendering().pixels(chain, Samples.rocket())
        #expect(pixels.size.description == expected)
    }

    @Test("one pixel more or less is never lost on the way", arguments: [1, 2, 3, 5, 7, 13, 31, 47, 48, 49, 97])
    func sides(side: Int) async throws {
        for format in ["jpeg", "png", "webp", "gif"] {
            let source = try ImageSample.encoded(as: "format/\(format)")
            let pixels = try await Rendering().pixels("imageMogr2/thumbnail/\(side)x31!", source)
            #expect(pixels.size == ImageSize(width: side, height: 31), "\(format)")
        }
    }

    @Test(
        "crops lie where gravity says",
        arguments: [
            ("NorthWest", "rrrr"), ("NorthEast", "gggg"), ("SouthWest", "bbbb"), ("SouthEast", "wwww"),
            ("Center", "rgbw"), ("North", "rgrg"), ("West", "rrbb"), ("East", "ggww"), ("South", "bwbw"),
        ]
    )
    func crops(gravity: String, corners: String) async throws {
        let source = try ImageSample.encoded(as: "format/png")
        let pixels = try await Rendering().pixels("imageMogr2/gravity/\(gravity)/crop/24x16", source)
        #expect(pixels.size == ImageSize(width: 24, height: 16))
        #expect(pixels.corners == corners)
    }

    @Test("steps are carried out in the order written")
    func order() async throws {
        let source = try ImageSample.encoded(as: "format/png")
        let first = try await Rendering().pixels("imageMogr2/crop/24x16/rotate/90", source)
        let second = try await Rendering().pixels("imageMogr2/rotate/90/crop/24x16", source)
        #expect(first.size == ImageSize(width: 16, height: 24))
        #expect(first.corners == "rrrr")
        #expect(second.size == ImageSize(width: 24, height: 16))
        #expect(second.corners == "brbr")
    }
}
