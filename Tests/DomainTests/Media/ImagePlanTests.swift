import Testing

@testable import Domain

/// The steps that a chain becomes once a header is known (docs/image-options.md, sections 2 to 5 and 8).
@Suite struct ImagePlanTests {
    private func rectangle(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> ImageRectangle {
        ImageRectangle(x: x, y: y, size: ImageSize(width, height))
    }

    @Test("a view that only scales is one step")
    func view() throws {
        let plan = try ImagePlan.of("imageView2/2/w/400")
        #expect(plan.steps == [.scale(ImageSize(400, 300))])
        #expect(plan.size == ImageSize(400, 300))
        #expect(plan.frames == 1)
    }

    @Test("a view that cuts scales first")
    func cut() throws {
        let plan = try ImagePlan.of("imageView2/1/w/200/h/100")
        #expect(plan.steps == [.scale(ImageSize(200, 150)), .crop(rectangle(0, 25, 200, 100))])
        #expect(plan.size == ImageSize(200, 100))
    }

    @Test("what leaves the size as it is makes no step")
    func nothing() throws {
        #expect(try ImagePlan.of("imageView2/2/w/800/h/600").steps.isEmpty)
        #expect(try ImagePlan.of("imageMogr2/thumbnail/800x600/crop/800x600/sharpen/0").steps.isEmpty)
        #expect(try ImagePlan.of("imageMogr2/auto-orient").steps.isEmpty)
    }

    @Test("each step of imageMogr2 begins with the size that the one before left")
    func steps() throws {
        let plan = try ImagePlan.of(
            "imageMogr2/thumbnail/!50p/gravity/Center/crop/300x200/rotate/90/blur/3x2.5/sharpen/1"
        )
        #expect(
            plan.steps == [
                .scale(ImageSize(400, 300)), .crop(rectangle(50, 50, 300, 200)),
                .rotate(degrees: 90, background: .white, size: ImageSize(200, 300)), .blur(radius: 3, sigma: 2.5),
                .sharpen,
            ]
        )
        #expect(plan.size == ImageSize(200, 300))
    }

    @Test("steps that stand several times are carried out several times, in the order written")
    func repeated() throws {
        let plan = try ImagePlan.of("imageMogr2/crop/400x300/thumbnail/200x/crop/100x100")
        #expect(
            plan.steps == [
                .crop(rectangle(0, 0, 400, 300)), .scale(ImageSize(200, 150)), .crop(rectangle(0, 0, 100, 100)),
            ]
        )
    }

    @Test("an operator of a chain begins with the result of the one before")
    func chain() throws {
        let plan = try ImagePlan.of("imageView2/2/w/400|imageMogr2/rotate/90|imageView2/2/w/150")
        #expect(
            plan.steps == [
                .scale(ImageSize(400, 300)), .rotate(degrees: 90, background: .white, size: ImageSize(300, 400)),
                .scale(ImageSize(150, 200)),
            ]
        )
    }

    @Test("a rotation is filled with the background, white if none is said")
    func background() throws {
        let blue = "#0000FF".inBase64
        let turned = try ImagePlan.of("imageMogr2/rotate/45/background/\(blue)").steps
        let color = Color(red: 0, green: 0, blue: 255)
        #expect(turned == [.rotate(degrees: 45, background: color, size: ImageSize(990, 990))])
    }

    @Test("a watermark stands where it was written")
    func watermark() throws {
        let operations = "watermark/2/text/\("lcfile".inBase64)"
        guard case .watermark(let watermark)? = try ImageRequest.only(operations) else {
            Issue.record("'\(operations)' is no watermark.")
            return
        }
        let plan = try ImagePlan.of("\(operations)|imageView2/2/w/400")
        #expect(plan.steps == [.watermark(watermark), .scale(ImageSize(400, 300))])
    }

    @Test("operators for information make no step")
    func information() throws {
        let plan = try ImagePlan.of("imageView2/2/w/400|imageInfo")
        #expect(plan.steps == [.scale(ImageSize(400, 300))])
    }

    @Test("the largest size is that of the largest step, though the result is small")
    func largest() throws {
        let plan = try ImagePlan.of("imageMogr2/thumbnail/1600x1200/thumbnail/40x30")
        #expect(plan.size == ImageSize(40, 30))
        #expect(plan.largestSize == ImageSize(1600, 1200))
    }

    // MARK: Orientation

    @Test("a view turns the image upright before it scales", arguments: 2...8)
    func uprightView(orientation: Int) throws {
        let plan = try ImagePlan.of("imageView2/2/w/300/h/300", photoHeader.oriented(orientation))
        let isTurned = orientation >= 5
        #expect(plan.steps == [.orient(orientation), .scale(isTurned ? ImageSize(225, 300) : ImageSize(300, 225))])
        #expect(plan.output.orientation == nil)
    }

    @Test("imageMogr2 leaves the image as it lies, and the result keeps the orientation")
    func lying() throws {
        let plan = try ImagePlan.of("imageMogr2/thumbnail/400x", photoHeader.oriented(6))
        #expect(plan.steps == [.scale(ImageSize(400, 300))])
        #expect(plan.output.orientation == 6)
    }

    @Test("auto-orient turns it where it stands, once")
    func autoOrient() throws {
        let operations = "imageMogr2/thumbnail/400x/auto-orient/thumbnail/150x/auto-orient"
        let plan = try ImagePlan.of(operations, photoHeader.oriented(6))
        #expect(plan.steps == [.scale(ImageSize(400, 300)), .orient(6), .scale(ImageSize(150, 200))])
        #expect(plan.output.orientation == nil)
    }

    @Test("a view behind an imageMogr2 without auto-orient turns it")
    func laterView() throws {
        let operations = "imageMogr2/crop/400x600|imageView2/2/w/300"
        let plan = try ImagePlan.of(operations, photoHeader.oriented(8))
        #expect(
            plan.steps == [.crop(rectangle(0, 0, 400, 600)), .orient(8), .scale(ImageSize(300, 200))]
        )
        #expect(plan.output.orientation == nil)
    }

    @Test("a watermark alone leaves the image as it lies", arguments: [3, 6])
    func watermarkLying(orientation: Int) throws {
        let plan = try ImagePlan.of("watermark/2/text/\("lcfile".inBase64)", photoHeader.oriented(orientation))
        #expect(plan.steps.count == 1)
        #expect(plan.output.orientation == orientation)
    }

    @Test(
        "the orientation is left out with strip, of a GIF or an AVIF, and where EXIF says none",
        arguments: [
            ("imageMogr2/thumbnail/400x/strip", photoHeader.oriented(6)),
            ("imageMogr2/strip/thumbnail/400x|imageMogr2/rotate/90", photoHeader.oriented(6)),
            ("imageMogr2/thumbnail/400x/format/gif", photoHeader.oriented(6)),
            ("imageMogr2/thumbnail/400x/format/avif", photoHeader.oriented(6)),
            ("imageMogr2/thumbnail/400x", photoHeader),
            ("imageMogr2/thumbnail/400x", photoHeader.oriented(1)),
        ]
    )
    func noOrientation(operations: String, header: ImageHeader) throws {
        #expect(try ImagePlan.of(operations, header).output.orientation == nil)
    }
}
