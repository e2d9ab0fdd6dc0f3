import Testing

@testable import Domain

/// What the modes of `imageView2` and `imageView` make of images (docs/image-options.md, section 2).
@Suite struct ImageViewLayoutTests {
    /// The size of the result.
    private func result(_ operations: String, of width: Int, _ height: Int) throws -> ImageSize {
        try ImagePlan.of(operations, ImageHeader(format: .png, size: ImageSize(width, height))).size
    }

    @Test(
        "each mode makes the sizes in the table",
        arguments: [
            (0, ImageSize(133, 100), ImageSize(100, 133), ImageSize(120, 60)),
            (1, ImageSize(200, 100), ImageSize(200, 100), ImageSize(120, 60)),
            (2, ImageSize(133, 100), ImageSize(75, 100), ImageSize(120, 60)),
            (3, ImageSize(200, 150), ImageSize(200, 267), ImageSize(120, 60)),
            (4, ImageSize(200, 150), ImageSize(150, 200), ImageSize(120, 60)),
            (5, ImageSize(200, 100), ImageSize(100, 200), ImageSize(120, 60)),
        ]
    )
    func table(mode: Int, lying: ImageSize, standing: ImageSize, small: ImageSize) throws {
        #expect(try result("imageView2/\(mode)/w/200/h/100", of: 800, 600) == lying)
        #expect(try result("imageView2/\(mode)/w/200/h/100", of: 600, 800) == standing)
        #expect(try result("imageView2/\(mode)/w/200/h/100", of: 120, 60) == small)
    }

    @Test(
        "of a missing side, modes 0 and 2 know no bound, the others make a square",
        arguments: [
            (0, ImageSize(200, 150), ImageSize(133, 100)), (1, ImageSize(200, 200), ImageSize(100, 100)),
            (2, ImageSize(200, 150), ImageSize(133, 100)), (3, ImageSize(267, 200), ImageSize(133, 100)),
            (4, ImageSize(267, 200), ImageSize(133, 100)), (5, ImageSize(200, 200), ImageSize(100, 100)),
        ]
    )
    func missing(mode: Int, onlyWidth: ImageSize, onlyHeight: ImageSize) throws {
        #expect(try result("imageView2/\(mode)/w/200", of: 800, 600) == onlyWidth)
        #expect(try result("imageView2/\(mode)/h/100", of: 800, 600) == onlyHeight)
    }

    @Test("in mode 0 the parameters mean the long and the short side of what stands, too")
    func byLength() throws {
        #expect(try result("imageView2/0/w/400", of: 600, 800) == ImageSize(300, 400))
        #expect(try result("imageView2/0/h/300", of: 600, 800) == ImageSize(300, 400))
    }

    @Test("a cut that would enlarge takes off only what exceeds")
    func cutOfSmall() throws {
        #expect(try result("imageView2/1/w/100/h/100", of: 120, 60) == ImageSize(100, 60))
    }

    @Test("imageView/1 gives exactly what was asked for, imageView/2 never enlarges")
    func legacy() throws {
        #expect(try result("imageView/1/w/200/h/300", of: 120, 60) == ImageSize(200, 300))
        #expect(try result("imageView/1/w/200/h/100", of: 800, 600) == ImageSize(200, 100))
        #expect(try result("imageView/2/w/200/h/300", of: 120, 60) == ImageSize(120, 60))
    }

    @Test("sides are those of the upright image")
    func turned() throws {
        let plan = try ImagePlan.of("imageView2/1/w/200/h/100", photoHeader.oriented(6))
        #expect(
            plan.steps == [
                .orient(6), .scale(ImageSize(200, 267)),
                .crop(ImageRectangle(x: 0, y: 83, size: ImageSize(200, 100))),
            ]
        )
    }

    @Test("a long, thin image is never enlarged by imageView2", arguments: [1, 5])
    func thin(mode: Int) throws {
        #expect(try result("imageView2/\(mode)/w/200/h/200", of: 12_000, 100) == ImageSize(200, 100))
    }

    @Test("of an image that would cover the box with too many pixels the part is cut out first")
    func cutFirst() throws {
        let header = ImageHeader(format: .png, size: ImageSize(12_000, 10))
        let plan = try ImagePlan.of("imageView/1/w/200/h/200", header)
        #expect(
            plan.steps == [
                .crop(ImageRectangle(x: 5995, y: 0, size: ImageSize(10, 10))), .scale(ImageSize(200, 200)),
            ]
        )
    }
}
