import Testing

@testable import Domain

/// How a result is written (docs/image-options.md, sections 4, 6 and 9).
@Suite struct ImagePlanOutputTests {
    private func header(_ format: SourceFormat, hasAlpha: Bool = false, frames: Int = 1) -> ImageHeader {
        ImageHeader(
            format: format,
            size: ImageSize(800, 600),
            frames: frames,
            hasAlpha: hasAlpha,
            bands: hasAlpha ? 4 : 3
        )
    }

    // MARK: Formats

    @Test(
        "without a parameter the result has the source's format, or the nearest",
        arguments: [
            (.jpeg, false, .jpeg), (.png, true, .png), (.webp, true, .webp), (.gif, false, .gif), (.avif, false, .avif),
            (.heic, false, .jpeg), (.heic, true, .png), (.tiff, false, .jpeg), (.tiff, true, .png),
            (.bmp, false, .jpeg),
            (.bmp, true, .png), (.svg, true, .png), (.svg, false, .png), (.pdf, false, .jpeg), (.pdf, true, .png),
            (.jxl, false, .jpeg), (.jxl, true, .png), (.jp2, false, .jpeg), (.jp2, true, .png),
        ] as [(SourceFormat, Bool, ImageFormat)]
    )
    func ownFormat(source: SourceFormat, hasAlpha: Bool, result: ImageFormat) throws {
        let plan = try ImagePlan.of("imageView2/2/w/400", header(source, hasAlpha: hasAlpha))
        #expect(plan.output.format == result)
    }

    @Test("the last format of a chain is the result's")
    func lastFormat() throws {
        let plan = try ImagePlan.of("imageView2/2/w/400/format/png|imageMogr2/format/webp|imageMogr2/strip")
        #expect(plan.output.format == .webp)
    }

    @Test("what is transparent is laid on white for a JPEG, at the end")
    func flatten() throws {
        let plan = try ImagePlan.of("imageView2/2/w/400/format/jpg", header(.png, hasAlpha: true))
        #expect(plan.steps == [.scale(ImageSize(400, 300)), .flatten(.white)])
    }

    @Test("what is transparent is laid on the background, if one is said")
    func flattenOnColor() throws {
        let operations = "imageMogr2/background/\("red".inBase64)/format/jpg"
        let plan = try ImagePlan.of(operations, header(.webp, hasAlpha: true))
        #expect(plan.steps == [.flatten(Color(red: 255, green: 0, blue: 0))])
    }

    @Test(
        "nothing is laid on a colour without transparency, nor for a format that has it",
        arguments: [
            ("imageView2/2/w/400/format/jpg", false), ("imageView2/2/w/400/format/png", true),
            ("imageView2/2/w/400/format/webp", true), ("imageView2/2/w/400/format/avif", true),
        ]
    )
    func noFlatten(operations: String, hasAlpha: Bool) throws {
        #expect(try ImagePlan.of(operations, header(.png, hasAlpha: hasAlpha)).steps == [.scale(ImageSize(400, 300))])
    }

    @Test("a JPEG in the middle takes the transparency away, and no second time")
    func jpegBetween() throws {
        let operations = "imageMogr2/format/jpg|imageView2/2/w/400/format/png|imageMogr2/format/jpg"
        let plan = try ImagePlan.of(operations, header(.png, hasAlpha: true))
        #expect(plan.steps == [.flatten(.white), .scale(ImageSize(400, 300))])
    }

    @Test("the first automatic format is the result's, if the request says none")
    func automatic() throws {
        let automatic = [ImageFormat.avif, .webp]
        #expect(try ImagePlan.of("imageView2/2/w/400", automatic: automatic).output.format == .avif)
        #expect(try ImagePlan.of("imageView2/2/w/400/format/jpg", automatic: automatic).output.format == .jpeg)
    }

    @Test("an automatic format keeps a moving image moving")
    func automaticAnimation() throws {
        let gif = header(.gif, frames: 3)
        #expect(try ImagePlan.of("imageView2/2/w/400", gif, automatic: [.avif, .webp]).output.format == .webp)
        let plan = try ImagePlan.of("imageView2/2/w/400", gif, automatic: [.avif])
        #expect(plan.output.format == .gif)
        #expect(plan.frames == 3)
    }

    @Test(
        "an image is turned upright for an automatic format that stores no orientation, unless the URL strips it",
        arguments: [
            ("imageMogr2/thumbnail/400x", .avif, [.scale(ImageSize(400, 300)), .orient(6)], ImageSize(300, 400)),
            ("imageMogr2/thumbnail/400x", .gif, [.scale(ImageSize(400, 300)), .orient(6)], ImageSize(300, 400)),
            ("imageMogr2/quality/80", .avif, [.orient(6)], ImageSize(600, 800)),
            ("imageView2/2/w/300", .avif, [.orient(6), .scale(ImageSize(300, 400))], ImageSize(300, 400)),
            ("imageMogr2/thumbnail/400x/strip", .avif, [.scale(ImageSize(400, 300))], ImageSize(400, 300)),
            ("imageMogr2/thumbnail/400x", .webp, [.scale(ImageSize(400, 300))], ImageSize(400, 300)),
            ("imageMogr2/thumbnail/400x/format/avif", .avif, [.scale(ImageSize(400, 300))], ImageSize(400, 300)),
        ] as [(String, ImageFormat, [ImagePlan.Step], ImageSize)]
    )
    func automaticUpright(
        operations: String,
        format: ImageFormat,
        steps: [ImagePlan.Step],
        size: ImageSize
    ) throws {
        let plan = try ImagePlan.of(operations, photoHeader.oriented(6), automatic: [format])
        #expect(plan.output.format == format)
        #expect(plan.steps == steps)
        #expect(plan.size == size)
        #expect(plan.output.orientation == (format == .webp ? 6 : nil))
    }

    @Test("an automatic format is the result's, though the last operator fails and is passed over")
    func automaticPassedOver() throws {
        let operations = "imageView2/2/w/400|imageMogr2/crop/!10x10a900a0/ignore-error/1"
        #expect(try ImagePlan.of(operations, automatic: [.webp]).output.format == .webp)
    }

    @Test(
        "a format is named in the last operator, unless that may be passed over",
        arguments: [
            ("imageView2/2/w/400", "imageView2/2/w/400/format/webp"), ("imageView2/2/w/400/ignore-error/1", nil),
            ("imageMogr2/strip/ignore-error/1|imageMogr2", "imageMogr2/strip/ignore-error/1|imageMogr2/format/webp"),
            ("imageMogr2|imageMogr2/strip/ignore-error/1", nil), ("imageMogr2|imageslim", nil),
        ] as [(String, String?)]
    )
    func naming(operations: String, named: String?) throws {
        let request = try #require(try ImageRequest.read(operations))
        #expect(request.naming(.webp)?.canonical == named)
    }

    // MARK: Animations

    @Test("only a GIF or a WebP stays animated", arguments: ImageFormat.allCases)
    func animation(format: ImageFormat) throws {
        let plan = try ImagePlan.of("imageView2/2/w/400/format/\(format.rawValue)", header(.gif, frames: 12))
        #expect(plan.frames == (format == .gif || format == .webp ? 12 : 1))
    }

    @Test("as many frames as the limit stay animated, one more does not", arguments: [(200, 200), (201, 1)])
    func frames(count: Int, result: Int) throws {
        let small = ImageHeader(format: .gif, size: ImageSize(10, 10), frames: count)
        #expect(try ImagePlan.of("imageView2/2/w/5", small).frames == result)
    }

    @Test("as many pixels as the limit stay animated, in the source and in what steps make")
    func animationPixels() throws {
        var limits = ImageLimits()
        limits.animationPixels = 1000
        let ten = ImageHeader(format: .gif, size: ImageSize(10, 10), frames: 10)
        #expect(try ImagePlan.of("imageView2/2/w/5", ten, limits: limits).frames == 10)
        let eleven = ImageHeader(format: .gif, size: ImageSize(10, 10), frames: 11)
        #expect(try ImagePlan.of("imageView2/2/w/5", eleven, limits: limits).frames == 1)
        #expect(try ImagePlan.of("imageMogr2/thumbnail/11x10!/thumbnail/5x", ten, limits: limits).frames == 1)
    }

    // MARK: Quality

    @Test(
        "each operator and format has its quality",
        arguments: [
            ("imageView2/2/w/400", 75), ("imageMogr2/thumbnail/400x", 75), ("imageView/2/w/400", 85),
            ("imageView2/2/w/400/format/avif", 55), ("imageView/2/w/400/format/avif", 55),
            ("imageView2/2/w/400/q/30", 30), ("imageMogr2/quality/30", 30),
            ("imageView2/2/w/400/q/30|imageMogr2/rotate/90", 30),
            ("imageView2/2/w/400|imageView/2/w/200", 85), ("imageView/2/w/400|imageView2/2/w/200", 75),
        ]
    )
    func quality(operations: String, quality: Int) throws {
        #expect(try ImagePlan.of(operations).output.quality == quality)
    }

    @Test(
        "a result gets no more quality than its source is worth",
        arguments: [
            // As large as the source: the source's own.
            ("imageMogr2/q/75", 40, 40), ("imageMogr2/q/30", 40, 30), ("imageMogr2/format/webp", 40, 40),
            // A quarter of the pixels: twice as much, but not over 90.
            ("imageView2/2/w/400", 30, 60), ("imageView2/2/w/400/q/100", 60, 90), ("imageView2/2/w/400/q/100", 90, 90),
            // Enlarged to four times the pixels: half as much.
            ("imageMogr2/thumbnail/1600x", 80, 40), ("imageMogr2/thumbnail/1600x", 1, 1),
            // Not of a source over 90, nor of a forced quality, nor of imageView, nor of formats that measure
            // otherwise.
            ("imageView2/2/w/400/q/100", 91, 100), ("imageMogr2/q/75!", 40, 75), ("imageView/2/w/400", 20, 85),
            ("imageMogr2/format/avif", 20, 55),
        ]
    )
    func worth(operations: String, own: Int, quality: Int) throws {
        var header = photoHeader
        header.quality = own
        #expect(try ImagePlan.of(operations, header).output.quality == quality)
    }

    // MARK: Other parameters

    @Test("the parameters of an encoding reach the output")
    func operations() throws {
        let output = try ImagePlan.of("imageMogr2/interlace/1/colors/100/format/gif/size-limit/15k!").output
        #expect(output.isProgressive)
        #expect(output.colors == 100)
        #expect(output.sizeLimit?.isStrict == true)
        #expect(output.mustShrink == false)
        #expect(output.compression == nil)
    }

    @Test("a size limit holds for the whole chain, the last one counts")
    func sizeLimit() throws {
        let operations = "imageMogr2/size-limit/2000|imageMogr2/size-limit/1000|imageView2/2/w/400"
        #expect(try ImagePlan.of(operations).output.sizeLimit == ImageMogr2.SizeLimit(bytes: 1000, isStrict: false))
    }

    // MARK: imageslim

    @Test("imageslim alone must make the image smaller, behind another operator not")
    func slimAlone() throws {
        #expect(try ImagePlan.of("imageslim").output.mustShrink)
        #expect(try !ImagePlan.of("imageView2/2/w/400|imageslim").output.mustShrink)
    }

    @Test(
        "imageslim writes a JPEG with quality 75 at most",
        arguments: [("imageslim", 75), ("imageView2/2/w/400/q/90|imageslim", 75), ("imageMogr2/q/60|imageslim", 60)]
    )
    func slimJPEG(operations: String, quality: Int) throws {
        let output = try ImagePlan.of(operations).output
        #expect(output.quality == quality)
        #expect(output.colors == nil)
    }

    @Test(
        "imageslim writes a PNG with a palette, packed as its level says",
        arguments: [("imageslim", 3), ("imageslim/zlevel/0", 0), ("imageslim/zlevel/9", 9), ("imageslim/zlevel/10", 9)]
    )
    func slimPNG(operations: String, compression: Int) throws {
        let output = try ImagePlan.of(operations, header(.png, hasAlpha: true)).output
        #expect(output.format == .png)
        #expect(output.colors == 256)
        #expect(output.compression == compression)
    }

    @Test("imageslim changes nothing of other formats that are written", arguments: [SourceFormat.gif, .webp, .avif])
    func slimOthers(format: SourceFormat) throws {
        #expect(try ImagePlan.of("imageslim", header(format)).changesNothing)
        #expect(try !ImagePlan.of("imageView2/2/w/400|imageslim", header(format)).changesNothing)
    }

    @Test("imageslim alone gives back what is larger than results may be", arguments: SourceFormat.allCases)
    func slimLarge(format: SourceFormat) throws {
        var large = header(format)
        large.size = ImageSize(6000, 6000)
        #expect(try ImagePlan.of("imageslim", large).changesNothing)
        #expect(throws: ServiceError.self) { try ImagePlan.of("imageMogr2/blur/3x5|imageslim", large) }
    }

    @Test("imageslim has something to do with JPEGs and PNGs", arguments: [SourceFormat.jpeg, .png])
    func slimChanges(format: SourceFormat) throws {
        #expect(try !ImagePlan.of("imageslim", header(format)).changesNothing)
    }
}
