import Testing

@testable import Domain

/// What a job takes of a processor by its header: relations between jobs, because the figures are measured ones.
@Suite struct ImagePlanTimeTests {
    private func large(_ format: SourceFormat = .jpeg, _ size: ImageSize = ImageSize(4000, 3000)) -> ImageHeader {
        ImageHeader(format: format, size: size)
    }

    /// The animation of 44 KB that took 17 seconds of a processor for each request: of its 30 frames these differ.
    private let animation = ImageHeader(format: .webp, size: ImageSize(1400, 1400), frames: 10)

    private func work(_ operations: String, _ header: ImageHeader) throws -> Duration {
        try ImagePlan.of(operations, header).timeEstimate(of: header)
    }

    @Test("every format costs more with more pixels", arguments: SourceFormat.allCases)
    func sources(format: SourceFormat) throws {
        let small = try work("imageMogr2/rotate/90", large(format, ImageSize(400, 300)))
        #expect(try work("imageMogr2/rotate/90", large(format)) > small)
    }

    @Test("every result costs more with more pixels", arguments: ImageFormat.allCases)
    func results(format: ImageFormat) throws {
        let small = try work("imageView2/2/w/100/format/\(format.rawValue)", large())
        #expect(try work("imageView2/2/w/2000/format/\(format.rawValue)", large()) > small)
    }

    @Test(
        "every operator costs",
        arguments: [
            "rotate/90", "rotate/45", "blur/1x1", "sharpen/1", "thumbnail/!99p", "size-limit/10k", "interlace/1",
        ]
    )
    func operators(operations: String) throws {
        let plain = try work("imageMogr2/strip", large())
        #expect(try work("imageMogr2/strip/\(operations)", large()) > plain)
    }

    @Test("an operator costs as often as it stands there")
    func chains() throws {
        let once = try work("imageMogr2/blur/9x9", large())
        let plain = try work("imageMogr2/strip", large())
        let thrice = try work("imageMogr2/blur/9x9|imageMogr2/blur/9x9|imageMogr2/blur/9x9", large())
        #expect(thrice - plain == (once - plain) * 3)
    }

    @Test("a blur costs by the radius and the sigma, whichever ends first")
    func blurs() throws {
        func blur(_ operations: String) throws -> Duration { try work("imageMogr2/blur/\(operations)", large()) }
        #expect(try blur("50x50") > blur("25x50"))
        #expect(try blur("50x10") > blur("50x1"))
        #expect(try blur("50x40") == blur("50x50"))
    }

    @Test("every frame of an animation costs, for every operator")
    func frames() throws {
        func gif(_ frames: Int) -> ImageHeader {
            ImageHeader(format: .gif, size: ImageSize(400, 300), frames: frames)
        }
        for operations in ["strip", "thumbnail/200x", "rotate/45", "blur/9x9", "sharpen/1"] {
            let few = try work("imageMogr2/\(operations)", gif(10))
            #expect(try work("imageMogr2/\(operations)", gif(100)) > few * 9)
        }
        let mark = "watermark/2/text/\("m".inBase64)"
        let few = try work(mark, gif(10))
        #expect(try work(mark, gif(100)) > few * 9)
        // A still one needs only the first frame.
        let still = try work("imageMogr2/format/png", gif(10))
        #expect(try work("imageMogr2/format/png", gif(100)) == still)
    }

    @Test("marks cost, large ones more")
    func marks() throws {
        let key = try #require(FileKey("own/mark.png"))
        let operations = ImageRequest([.watermark(Watermark([.init(.image(.init(key: key)))]))])
        let plan = try ImagePlan(operations, of: large(), limits: ImageLimits())
        let small = plan.timeEstimate(of: large(), marks: [key: large(.png, ImageSize(100, 100))])
        #expect(plan.timeEstimate(of: large(), marks: [key: large(.png)]) > small)
        let short = try work("watermark/2/text/\("m".inBase64)/fontsize/2000", large())
        #expect(try work("watermark/2/text/\("mmmm".inBase64)/fontsize/2000", large()) > short)
    }

    @Test("a progressive JPEG costs by its passes: thousands of them are beyond the limit")
    func scans() throws {
        var header = large()
        let once = try work("imageView2/2/w/50", header)
        header.isProgressive = true
        let usual = try work("imageView2/2/w/50", header)
        #expect(usual > once)
        header.scans = 4000
        #expect(try work("imageView2/2/w/50", header) > usual * 100)
        #expect(throws: ServiceError.self) { try ImageLimits().checkWork(work("imageView2/2/w/50", header)) }
    }

    @Test("resampling in linear light costs more")
    func effort() throws {
        var plan = try ImagePlan.of("imageView2/2/w/2000/format/avif", large())
        let fast = plan.timeEstimate(of: large())
        plan.output.effort = .best
        #expect(plan.timeEstimate(of: large()) > fast)
    }

    @Test(
        "thumbnails of ordinary photographs are cheap",
        arguments: [SourceFormat.jpeg, .png, .bmp, .gif, .svg, .pdf]
    )
    func cheap(format: SourceFormat) throws {
        let most = ImageAdmission.Limits(workers: 1, memory: 1, queue: 1).cheapTime
        #expect(try work("imageView2/1/w/50/h/50", large(format)) < most)
    }

    @Test(
        "legitimate large work is within the limit",
        arguments: ["blur/50x50", "format/avif", "rotate/45/format/webp"]
    )
    func legitimate(operations: String) throws {
        try ImageLimits().checkWork(work("imageMogr2/\(operations)", large()))
    }

    @Test("a blurred animation of 20 million pixels is beyond the limit, and the refusal says what to do")
    func refused() throws {
        let estimate = try work("imageMogr2/blur/50x50", animation)
        let error = #expect(throws: ServiceError.self) { try ImageLimits().checkWork(estimate) }
        #expect(error?.code == .imageTooLarge)
        #expect(error?.message.contains("15000 ms (images.maxWork)") == true)
        #expect(error?.message.contains("fewer operators or frames") == true)
        try ImageLimits().checkWork(work("imageView2/2/w/50", animation))
    }

    @Test("a job's time by the clock is ten times its estimate, twenty seconds at least, images.timeout at most")
    func clock() {
        let limits = ImageLimits(timeout: 30)
        #expect(limits.time(for: .milliseconds(50)) == .seconds(20))
        #expect(limits.time(for: .milliseconds(2500)) == .seconds(25))
        #expect(limits.time(for: .seconds(9)) == .seconds(30))
        #expect(ImageLimits(timeout: 1).time(for: .milliseconds(50)) == .seconds(1))
    }
}
