import CVips
import Domain
import Glibc
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// Samples of frames, for checks of their content.
@Suite struct SamplingTests {
    static func samples(of bytes: ByteBuffer, frames: [Int] = [0]) async throws -> [Domain.ImageSample] {
        let rendering = try Rendering()
        return try await rendering.renderer.samples(
            of: rendering.open(bytes),
            frames: frames,
            with: .normal,
            until: .now + .seconds(600)
        )
    }

    /// The mean of a square of 8 x 8 pixels around a place, as the nearest colour's name.
    private func name(_ sample: Domain.ImageSample, _ x: Int, _ y: Int) -> Character {
        let side = Domain.ImageSample.side
        let bytes = Array(sample.pixels.readableBytesView)
        var sums = [0, 0, 0]
        for row in y - 4..<y + 4 {
            for column in x - 4..<x + 4 {
                for band in 0..<3 { sums[band] += Int(bytes[3 * (row * side + column) + band]) }
            }
        }
        return switch sums.map({ $0 / 64 > 127 ? 1 : 0 }) {
        case [1, 0, 0]: "r"
        case [0, 1, 0]: "g"
        case [0, 0, 1]: "b"
        case [1, 1, 1]: "w"
        default: "?"
        }
    }

    private func corners(_ sample: Domain.ImageSample) -> String {
        String([(40, 40), (184, 40), (40, 184), (184, 184)].map { name(sample, $0.0, $0.1) })
    }

    @Test(
        "every format that the server decodes gives a square of the upright frame on white",
        arguments: [
            ("jpg/quality/95", false), ("png", false), ("png", true), ("webp", false), ("webp", true), ("gif", false),
            ("gif", true),
        ]
    )
    func formats(word: String, hasAlpha: Bool) async throws {
        let size = ImageSize(width: 320, height: 100)
        let pixels = ImageSample.quarters(size, hasAlpha: hasAlpha)
        let bytes = try ImageSample.encoded(pixels, size, as: "format/\(word)")
        let samples = try await Self.samples(of: bytes)
        #expect(samples.count == 1)
        let sample = try #require(samples.first)
        #expect(sample.pixels.readableBytes == Domain.ImageSample.pixelCount)
        #expect(corners(sample) == "rgbw")
    }

    @Test("the EXIF orientation is applied to pixels and hash", arguments: 1...8)
    func orientation(value: Int) async throws {
        // Quarters of red, green, blue, white as they are shown after each orientation.
        let shown = ["rgbw", "grwb", "wbgr", "bwrg", "rbgw", "brwg", "wgbr", "gwrb"]
        let stored = try ImageSample.encoded(ImageSample.quarters(), as: "format/png")
        let rendering = try Rendering()
        var image = try await rendering.open(stored)
        image.header.orientation = value
        let samples = try await rendering.renderer.samples(
            of: image,
            frames: [0],
            with: .normal,
            until: .now + .seconds(600)
        )
        #expect(corners(try #require(samples.first)) == shown[value - 1])
    }

    @Test("the hash of an image that EXIF turns is that of the turned image")
    func turnedHash() async throws {
        let rocket = try Samples.rocket()
        let rendering = try Rendering()
        var image = try await rendering.open(rocket)
        image.header.orientation = 6
        let turned = try await rendering.renderer.samples(
            of: image,
            frames: [0],
            with: .normal,
            until: .now + .seconds(600)
        )
        let made = try await rendering.render("imageMogr2/rotate/90/format/png", rocket)
        let other = try await Self.samples(of: made.bytes)
        #expect(turned[0].hash.distance(to: other[0].hash) <= 10)
    }

    @Test("frames of an animation are sampled as they are shown", arguments: ["gif", "webp"])
    func frames(word: String) async throws {
        let colors: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
        let source = try ImageSample.moving(colors, ImageSize(width: 40, height: 20), as: "format/\(word)")
        let samples = try await Self.samples(of: source, frames: [0, 2, 3])
        #expect(samples.map { name($0, 112, 112) } == ["r", "b", "w"])
    }

    @Test("a frame that changes a part of the one before is composed with it", arguments: ["gif", "webp"])
    func composedFrames(word: String) async throws {
        // A green square moves over red quarter by quarter; encoders store only what changed.
        let size = ImageSize(width: 64, height: 64)
        let all = ImageSize(width: 64, height: 4 * 64)
        var pixels: [UInt8] = []
        for frame in 0..<4 {
            for y in 0..<64 {
                for x in 0..<64 { pixels += (y / 32 * 2 + x / 32) == frame ? [0, 255, 0] : [255, 0, 0] }
            }
        }
        let source = try ImageSample.frames(pixels, of: size, in: all, as: "format/\(word)")
        let samples = try await Self.samples(of: source, frames: [1, 3])
        #expect(samples.map(corners) == ["rgrr", "rrrg"])
    }

    /// A GIF of 2000 x 2000 pixels, each frame of which adds one red pixel to the diagonal.
    private static func diagonal(frames: Int) -> ByteBuffer {
        func short(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
        var bytes = Array("GIF89a".utf8) + short(2000) + short(2000) + [0x80, 0, 0, 255, 255, 255, 255, 0, 0]
        for index in 0..<frames {
            bytes += [0x2c] + short(index) + short(index) + short(1) + short(1) + [0, 2, 2, 0x4c, 1, 0]
        }
        return ByteBuffer(bytes: bytes + [0x3b])
    }

    @Test("the memory for the last of 200 frames is that of a few frames")
    func memory() async {
        await #expect(processExitsWith: .success) {
            let samples = try await SamplingTests.samples(of: SamplingTests.diagonal(frames: 200), frames: [100, 199])
            guard samples.count == 2 else { _exit(1) }
            // A frame has 16 MB.
            guard vips_tracked_get_mem_highwater() < 64 << 20 else { _exit(2) }
            _exit(0)
        }
    }

    @Test("an image of one pixel is sampled, with a hash that is not compared")
    func onePixel() async throws {
        let size = ImageSize(width: 1, height: 1)
        let samples = try await Self.samples(of: ImageSample.encoded([255, 0, 0], size, as: "format/png"))
        #expect(corners(try #require(samples.first)) == "rrrr")
        #expect(samples[0].hash.quality == 0)
    }

    @Test("formats of the worker process are sampled", arguments: WorkerSample.all)
    func workerFormats(sample: WorkerSample) async throws {
        let rendering = try Rendering(worker: WorkerTests().launcher())
        let image = try await rendering.open(sample.bytes)
        let samples = try await rendering.renderer.samples(
            of: image,
            frames: [0],
            with: .low,
            until: .now + .seconds(WorkerTests.patience)
        )
        #expect(corners(try #require(samples.first)) == "rbrb")
    }

    @Test("a truncated image is refused, and so is a frame that does not exist")
    func refusals() async throws {
        let whole = try Samples.rocket()
        let cut = try #require(whole.getSlice(at: 0, length: whole.readableBytes / 2))
        var error = await #expect(throws: ServiceError.self) { try await Self.samples(of: cut) }
        #expect(error?.code == .notAnImage)
        let colors: [[UInt8]] = [[255, 0, 0], [0, 255, 0]]
        let moving = try ImageSample.moving(colors, ImageSize(width: 40, height: 20), as: "format/gif")
        error = await #expect(throws: ServiceError.self) { try await Self.samples(of: moving, frames: [0, 2]) }
        #expect(error?.code == .notAnImage)
    }

    @Test("sampling stops at the deadline")
    func deadline() async throws {
        let rendering = try Rendering()
        let image = try await rendering.open(try Samples.rocket())
        let error = await #expect(throws: ServiceError.self) {
            try await rendering.renderer.samples(of: image, frames: [0], with: .normal, until: .now - .seconds(1))
        }
        #expect(error?.code == .imageTimedOut)
    }

    @Test("resampling to another size along one side is a mean weighted by a triangle")
    func weights() {
        let filter = TriangleFilter(from: 8, to: 4, part: 0..<4)
        let first = filter.taps[0]
        let inner = filter.taps[1]
        let unit = Double(1 << TriangleFilter.bits)
        func weights(_ taps: TriangleFilter.Taps) -> [Double] {
            filter.weights[taps.weights..<taps.weights + taps.count].map { (Double($0) / unit * 1000).rounded() / 1000 }
        }
        #expect(first.first == 0)
        #expect(weights(first) == [0.429, 0.429, 0.143])
        #expect(inner.first == 1)
        #expect(weights(inner) == [0.125, 0.375, 0.375, 0.125])
    }
}
