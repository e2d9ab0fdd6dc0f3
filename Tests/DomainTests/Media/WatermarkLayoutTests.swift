import Testing

@testable import Domain

/// Where marks lie and how large they are (docs/image-options.md, section 5).
@Suite struct WatermarkLayoutTests {
    private let photo = ImageSize(800, 600)

    private func mark(_ gravity: Gravity, _ dx: Int, _ dy: Int) -> Watermark.Mark {
        var mark = Watermark.Mark(.text(Watermark.TextMark("lcfile")))
        mark.gravity = gravity
        mark.dx = dx
        mark.dy = dy
        return mark
    }

    @Test("a mark lies ten pixels from the lower right corner, if nothing is said")
    func defaults() {
        let corner = Watermark.Mark(.text(Watermark.TextMark("lcfile"))).corner(of: ImageSize(100, 50), in: photo)
        #expect(corner == (690, 540))
    }

    @Test(
        "offsets lead inwards from the edges, right and down where there is none",
        arguments: [
            (Gravity.northWest, 7, 3), (.north, 357, 3), (.northEast, 693, 3), (.west, 7, 278), (.center, 357, 278),
            (.east, 693, 278), (.southWest, 7, 547), (.south, 357, 547), (.southEast, 693, 547),
        ]
    )
    func inwards(gravity: Gravity, x: Int, y: Int) {
        #expect(mark(gravity, 7, 3).corner(of: ImageSize(100, 50), in: photo) == (x, y))
    }

    @Test(
        "negative offsets reach over the edges, left and up where there is none",
        arguments: [
            (Gravity.northWest, -7, -3), (.north, 343, -3), (.northEast, 707, -3), (.west, -7, 272),
            (.center, 343, 272),
            (.east, 707, 272), (.southWest, -7, 553), (.south, 343, 553), (.southEast, 707, 553),
        ]
    )
    func outwards(gravity: Gravity, x: Int, y: Int) {
        #expect(mark(gravity, -7, -3).corner(of: ImageSize(100, 50), in: photo) == (x, y))
    }

    @Test("half a free pixel is left at the upper left side of the middle")
    func half() {
        #expect(mark(.center, 0, 0).corner(of: ImageSize(101, 51), in: photo) == (349, 274))
    }

    // MARK: Sizes

    private func size(
        _ scale: Double?,
        _ scaling: Watermark.MarkScaling = .shortSide,
        of mark: ImageSize = ImageSize(100, 50),
        on picture: ImageSize = ImageSize(800, 600)
    ) throws -> ImageSize {
        let key = try #require(FileKey("own/mark.png"))
        return Watermark.ImageMark(key: key, scale: scale, scaling: scaling).size(of: mark, on: picture)
    }

    @Test("a mark has its own size, if nothing is said")
    func ownSize() throws {
        #expect(try size(nil) == ImageSize(100, 50))
    }

    @Test(
        "a scaled mark takes a part of the side that is named",
        arguments: [
            (Watermark.MarkScaling.shortSide, ImageSize(100, 50), ImageSize(120, 60)),
            (.longSide, ImageSize(100, 50), ImageSize(80, 40)), (.width, ImageSize(100, 50), ImageSize(80, 40)),
            (.height, ImageSize(100, 50), ImageSize(120, 60)), (.shortSide, ImageSize(50, 100), ImageSize(60, 120)),
            (.longSide, ImageSize(50, 100), ImageSize(40, 80)), (.width, ImageSize(50, 100), ImageSize(80, 160)),
            (.height, ImageSize(50, 100), ImageSize(30, 60)),
        ]
    )
    func scaled(scaling: Watermark.MarkScaling, mark: ImageSize, result: ImageSize) throws {
        #expect(try size(0.1, scaling, of: mark) == result)
    }

    @Test("a mark is enlarged ten times at most")
    func largest() throws {
        #expect(try size(1, of: ImageSize(20, 10)) == ImageSize(200, 100))
    }

    @Test("a mark larger than the image is shrunk to fit inside it")
    func fitted() throws {
        #expect(try size(nil, of: ImageSize(1600, 600)) == ImageSize(800, 300))
        #expect(try size(1, .height, of: ImageSize(100, 50)) == ImageSize(800, 400))
    }

    @Test("a mark has at least one pixel a side")
    func onePixel() throws {
        #expect(try size(0.0001) == ImageSize(1, 1))
    }
}
