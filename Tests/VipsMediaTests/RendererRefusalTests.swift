import Domain
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// Files that are no image or broken, and jobs that take too long or have no waiting client.
@Suite struct RendererRefusalTests {
    private let sentence = "The file is not an image that can be read."

    @Test(
        "what is no image is refused; formats of the worker are none without one",
        arguments: [
            "", "hello", "<html></html>", "<svg xmlns='http://www.w3.org/2000/svg'/>", "%PDF-1.4\n", "GIF89a",
            "BM", "RIFF\u{4}\u{0}\u{0}\u{0}WEBP", "II*\u{0}",
        ]
    )
    func noImage(text: String) async {
        let error = await #expect(throws: ServiceError.self) {
            try await Rendering().render("imageView2/2/w/10", ByteBuffer(string: text))
        }
        #expect(error?.code == .notAnImage)
        #expect(error?.message == sentence)
    }

    @Test("a photograph cut short is refused, at every tenth of it", arguments: 1...9)
    func truncated(tenths: Int) async throws {
        let whole = try Samples.rocket()
        let cut = try #require(whole.getSlice(at: 0, length: whole.readableBytes * tenths / 10))
        for chain in ["imageView2/2/w/600", "imageMogr2/rotate/90", "imageMogr2/blur/3x2"] {
            let error = await #expect(throws: ServiceError.self) { try await Rendering().render(chain, cut) }
            #expect(error?.code == .notAnImage)
            #expect(error?.message == sentence)
        }
    }

    @Test("every format cut in the middle is refused", arguments: ["jpeg", "png", "webp", "gif"])
    func truncatedFormats(word: String) async throws {
        let whole = try await Rendering().render("imageMogr2/thumbnail/200x/format/\(word)", Samples.rocket()).bytes
        let cut = try #require(whole.getSlice(at: 0, length: whole.readableBytes / 2))
        let error = await #expect(throws: ServiceError.self) {
            try await Rendering().render("imageMogr2/thumbnail/100x", cut)
        }
        #expect(error?.code == .notAnImage)
    }

    @Test("pixels that the worker decodes are refused without one, and the header is read all the same")
    func noWorker() async throws {
        let bytes = TagSample.tiff(ImageSample.quarters(), width: 48, height: 32)
        let image = try await Rendering().open(bytes)
        #expect(image.header.size == ImageSize(width: 48, height: 32))
        let error = await #expect(throws: ServiceError.self) {
            try await Rendering().render("imageMogr2/thumbnail/20x", bytes)
        }
        #expect(error?.code == .notAnImage)
    }

    @Test("a broken mark is refused as a broken image is")
    func brokenMark() async throws {
        let whole = try Samples.rocket()
        let cut = try #require(whole.getSlice(at: 0, length: whole.readableBytes / 2))
        let error = await #expect(throws: ServiceError.self) {
            try await Rendering().render("watermark/1/image/bQ", whole, marks: ["m": cut])
        }
        #expect(error?.code == .notAnImage)
    }

    @Test("the refusal for a broken mark names the watermark, also for a mark that the worker decodes")
    func brokenMarkIsNamed() async throws {
        let whole = try Samples.rocket()
        let cut = try #require(whole.getSlice(at: 0, length: whole.readableBytes / 2))
        for mark in [cut, TagSample.tiff()] {
            let error = await #expect(throws: ServiceError.self) {
                // Without a worker no TIFF can be decoded.
                try await Rendering().render("watermark/1/image/bQ", whole, marks: ["m": mark])
            }
            #expect(error?.message == "The watermark's image is not an image that can be read.")
        }
    }

    @Test("a mean colour is only told of what is read to its end")
    func brokenAverage() async throws {
        let whole = try Samples.rocket()
        let cut = try #require(whole.getSlice(at: 0, length: whole.readableBytes / 2))
        let rendering = try Rendering()
        let image = try await rendering.open(cut)
        let error = await #expect(throws: ServiceError.self) {
            try await rendering.renderer.average(of: image, with: .normal, until: .now + .seconds(600))
        }
        #expect(error?.code == .notAnImage)
    }

    @Test(
        "a job that takes longer than it may is given up",
        arguments: [
            "imageView2/2/w/600", "imageMogr2/rotate/33", "imageMogr2/blur/50x50",
            "imageMogr2/thumbnail/3000x/format/avif",
        ]
    )
    func timeout(chain: String) async throws {
        let error = await #expect(throws: ServiceError.self) {
            try await Rendering().render(chain, Samples.rocket(), until: .now - .seconds(1))
        }
        #expect(error?.code == .imageTimedOut)
    }

    @Test("a job that was begun is given up, too")
    func timeoutLater() async throws {
        let error = await #expect(throws: ServiceError.self) {
            let chain = "imageMogr2/thumbnail/4000x/blur/50x50/blur/50x50/blur/50x50"
            _ = try await Rendering().render(chain, Samples.rocket(), until: .now + .milliseconds(200))
        }
        #expect(error?.code == .imageTimedOut)
    }

    @Test("a job of a cancelled task is given up")
    func cancelled() async throws {
        let rendering = try Rendering()
        let bytes = try Samples.rocket()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await rendering.renderer.render(
                ImagePlan(
                    Rendering.request("imageView2/2/w/600"),
                    of: ImageHeader(format: .jpeg, size: ImageSize(width: 640, height: 427)),
                    limits: ImageLimits()
                ),
                of: OpenImage(
                    header: ImageHeader(format: .jpeg, size: ImageSize(width: 640, height: 427)),
                    source: .memory(bytes)
                ),
                marks: [:],
                with: .normal,
                until: .now + .seconds(600)
            )
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("a hundred jobs at once all succeed, each with its own result")
    func parallel() async throws {
        try await withThrowingTaskGroup(of: (Int, ImageSize).self) { group in
            for width in 100..<200 {
                group.addTask {
                    let pixels = try await Rendering().pixels("imageView2/1/w/\(width)/h/50", Samples.rocket())
                    return (width, pixels.size)
                }
            }
            for try await (width, size) in group { #expect(size == ImageSize(width: width, height: 50)) }
        }
    }
}
