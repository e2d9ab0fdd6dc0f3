import Testing

@testable import Domain

/// What a job costs by its header: relations between jobs, because the figures themselves are only estimates.
@Suite struct ImagePlanMemoryTests {
    /// An image of twelve million pixels.
    private func large(_ format: SourceFormat, isProgressive: Bool = false, bits: Int = 8) -> ImageHeader {
        ImageHeader(
            format: format,
            size: ImageSize(4000, 3000),
            bitsPerSample: bits,
            isProgressive: isProgressive
        )
    }

    private func estimate(_ operations: String, _ header: ImageHeader) throws -> Int {
        try ImagePlan.of(operations, header).memoryEstimate(of: header)
    }

    @Test(
        "what must be decoded as a whole costs at least its pixels, what comes in lines less",
        arguments: [
            SourceFormat.jpeg, .png,
        ]
    )
    func passes(format: SourceFormat) throws {
        let inPasses = try estimate("imageView2/2/w/100", large(format, isProgressive: true))
        let inLines = try estimate("imageView2/2/w/100", large(format))
        #expect(inPasses >= 4000 * 3000 * 3)
        #expect(inLines < 4000 * 3000 * 3)
    }

    @Test(
        "formats whose decoders hold the image cost at least all of its pixels",
        arguments: [
            SourceFormat.bmp, .gif, .webp,
        ]
    )
    func wholeDecoders(format: SourceFormat) throws {
        #expect(try estimate("imageView2/2/w/100", large(format)) >= 4000 * 3000 * 3)
    }

    @Test("sixteen bits cost more than eight")
    func bits() throws {
        let sixteen = try estimate("imageView2/2/w/100", large(.png, bits: 16))
        #expect(try sixteen > estimate("imageView2/2/w/100", large(.png)))
    }

    @Test("a decoder that holds the file costs the file, too", arguments: [SourceFormat.bmp, .gif, .webp])
    func file(format: SourceFormat) throws {
        var header = large(format)
        let small = try estimate("imageView2/2/w/100", header)
        header.fileSize = 20 << 20
        #expect(try estimate("imageView2/2/w/100", header) == small + (20 << 20))
    }

    @Test("a GIF's table of frames costs, though one of them is made")
    func table() throws {
        var header = large(.gif)
        let small = try estimate("imageView2/2/w/100/format/png", header)
        header.frames = 1_000_001
        #expect(try estimate("imageView2/2/w/100/format/png", header) >= small + 128_000_000)
    }

    @Test("an image that is turned whole costs all of its pixels", arguments: ["", "/format/jpg"])
    func turned(operations: String) throws {
        var header = large(.png)
        header.orientation = 6
        header.hasAlpha = true
        header.bands = 4
        let chain = "imageMogr2/auto-orient\(operations)|imageMogr2/crop/10x10"
        #expect(try estimate(chain, header) >= 4000 * 3000 * 4)
    }

    @Test(
        "what the worker draws costs by the size that is wanted",
        arguments: [SourceFormat.tiff, .heic, .avif, .svg, .pdf, .jxl, .jp2]
    )
    func drawn(format: SourceFormat) throws {
        let small = try estimate("imageView2/2/w/100", large(format))
        #expect(try small < estimate("imageView2/2/w/2000", large(format)))
        // A crop comes before anything is shrunk.
        #expect(try small < estimate("imageMogr2/crop/4000x2999/thumbnail/100x", large(format)))
    }

    @Test("a larger result costs more, in every format", arguments: ImageFormat.allCases)
    func result(format: ImageFormat) throws {
        let small = try estimate("imageView2/2/w/100/format/\(format.rawValue)", large(.jpeg))
        #expect(try small < estimate("imageView2/2/w/2000/format/\(format.rawValue)", large(.jpeg)))
    }

    @Test("an AVIF costs more than any other result of the same size")
    func avif() throws {
        let avif = try estimate("imageView2/2/w/2000/format/avif", large(.jpeg))
        for format in ImageFormat.allCases where format != .avif {
            #expect(try avif > estimate("imageView2/2/w/2000/format/\(format.rawValue)", large(.jpeg)))
        }
    }

    @Test(
        "a step that looks all over the image costs more than one that takes lines",
        arguments: ["rotate/180", "blur/3x1", "sharpen/1", "size-limit/10k"]
    )
    func wholeSteps(operations: String) throws {
        let lines = try estimate("imageMogr2/thumbnail/2000x", large(.jpeg))
        #expect(try lines < estimate("imageMogr2/thumbnail/2000x/\(operations)", large(.jpeg)))
    }

    @Test("turning upright costs more than not turning")
    func orientation() throws {
        let turned = try estimate("imageView2/2/w/2000", large(.jpeg).oriented(6))
        #expect(try turned > estimate("imageMogr2/thumbnail/2000x", large(.jpeg).oriented(6)))
    }

    @Test("each frame of an animation costs")
    func animation() throws {
        func gif(_ frames: Int) -> ImageHeader {
            ImageHeader(format: .gif, size: ImageSize(400, 300), frames: frames)
        }
        let still = try estimate("imageView2/2/w/200", gif(1))
        let few = try estimate("imageView2/2/w/200", gif(10))
        let many = try estimate("imageView2/2/w/200", gif(100))
        #expect(still < few)
        // Nine and ninety frames more.
        #expect(many - still >= (few - still) * 9)
        #expect(try estimate("imageView2/2/w/200/format/png", gif(100)) < few)
    }

    @Test("texts cost, the longer the more")
    func texts() throws {
        let short = try estimate("watermark/2/text/\("m".inBase64)/fontsize/2000", large(.jpeg, isProgressive: true))
        let long = try estimate("watermark/2/text/\("mmmm".inBase64)/fontsize/2000", large(.jpeg, isProgressive: true))
        #expect(short < long)
    }

    @Test("a large step in the middle costs though the result is small")
    func middle() throws {
        let small = try estimate("imageMogr2/thumbnail/100x/rotate/45", large(.jpeg))
        #expect(try small < estimate("imageMogr2/thumbnail/3000x/rotate/45/thumbnail/100x", large(.jpeg)))
    }

    @Test(
        "the decoder may shrink to the first size, unless pixels are looked at before",
        arguments: [
            ("imageView2/2/w/100", ImageSize(100, 75)), ("imageMogr2/thumbnail/100x/thumbnail/50x", ImageSize(100, 75)),
            ("imageMogr2/crop/10x10/thumbnail/100x", nil), ("imageMogr2/blur/3x1/thumbnail/100x", nil),
            ("imageMogr2/rotate/45", nil), ("imageMogr2/strip", nil),
        ]
    )
    func firstSize(operations: String, size: ImageSize?) throws {
        #expect(try ImagePlan.of(operations, large(.jpeg)).firstSize(of: large(.jpeg)) == size)
    }

    @Test("turning upright does not keep the decoder from shrinking, to the size as the pixels lie")
    func firstSizeTurned() throws {
        for orientation in 2...8 {
            let header = large(.jpeg).oriented(orientation)
            let operations = orientation >= 5 ? "imageView2/2/w/75" : "imageView2/2/w/100"
            #expect(try ImagePlan.of(operations, header).firstSize(of: header) == ImageSize(100, 75))
        }
    }
}
