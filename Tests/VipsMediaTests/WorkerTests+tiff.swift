import Domain
import NIOCore
import Testing

@testable import VipsMedia

/// TIFF: its header is read in this process, its pixels are drawn by a worker.
extension WorkerTests {
    /// The corners of the image upright, by its orientation.
    static let upright = Array(zip(1..., ["rgbw", "grwb", "wbgr", "bwrg", "rbgw", "brwg", "wgbr", "gwrb"]))

    @Test("a TIFF is turned, scaled and cut as its orientation says", arguments: upright)
    func turnedTIFF(orientation: Int, corners: String) async throws {
        let bytes = TagSample.tiff(orientation: UInt16(orientation))
        let rendering = try Rendering(worker: launcher())
        for chain in [
            "imageMogr2/auto-orient", "imageView2/1/w/20/h/20", "imageMogr2/gravity/Center/crop/40x24/auto-orient",
            "imageMogr2/thumbnail/24x|imageView2/2/w/12",
        ] {
            #expect(try await rendering.pixels(chain, bytes).corners == corners, "\(chain)")
        }
    }

    @Test("a TIFF becomes every format", arguments: ImageFormat.allCases)
    func formatsOfTIFF(format: ImageFormat) async throws {
        let chain = "imageMogr2/thumbnail/24x/format/\(format.rawValue)"
        let image = try await Rendering(worker: launcher()).render(chain, TagSample.tiff())
        #expect(image.format == format)
        #expect(try Pixels(image.bytes).corners == "rgbw")
    }

    @Test("a turned TIFF is laid over others upright")
    func markOfTIFF() async throws {
        let mark = TagSample.tiff(orientation: 6)
        let below = try ImageSample.encoded(as: "format/png")
        let chain = "watermark/1/image/bWFyaw/gravity/NorthWest/dx/0/dy/0/ws/1|imageMogr2/format/png"
        let pixels = try await Rendering(worker: launcher()).pixels(chain, below, marks: ["mark": mark])
        let alone = try await Rendering(worker: launcher()).pixels("imageMogr2/auto-orient/format/png", mark)
        #expect(pixels.corners.first == alone.corners.first)
    }

    @Test("a TIFF of hundreds of pages is drawn, for which libvips 8.14 writes past a table", arguments: [300, 4000])
    func pagesOfTIFF(pages: Int) async throws {
        let bytes = TagSample.tiff([UInt8](repeating: 200, count: 4 * 4 * 3), width: 4, height: 4, pages: pages)
        let pixels = try await Rendering(worker: launcher()).pixels("imageView2/2/w/2", bytes)
        #expect(pixels.size == ImageSize(width: 2, height: 2))
    }

    @Test("a worker refuses a TIFF that does not become 8 bits")
    func deepTIFF() async throws {
        let worker = launcher()
        let rendering = try Rendering(worker: worker)
        await expect(.notAnImage) { _ = try await rendering.render("imageMogr2/format/png", TagSample.deepGrey) }
        #expect(worker.counts.failed(.refused) == 1)
        #expect(worker.counts.failed(.failed) == 0)
    }

    @Test("without a worker a TIFF is no image")
    func noWorkerForTIFF() async throws {
        let rendering = try Rendering()
        await expect(.notAnImage) { _ = try await rendering.render("imageView2/2/w/2", TagSample.tiff()) }
    }
}

extension WorkerLauncher {
    /// Draws at a size, or at its own.
    func decode(
        _ source: ImageSource,
        at size: ImageSize?,
        with priority: ImagePriority = .normal,
        until deadline: ContinuousClock.Instant
    ) async throws -> DecodedImage {
        let own: ImageSize
        if let size { own = size } else { own = try await header(of: source, with: .normal).size }
        return try await decode(source, at: own, .fast, with: priority, until: deadline)
    }
}
