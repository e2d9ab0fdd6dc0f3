import Domain
import NIOCore

@testable import VipsMedia

/// Small images whose pixels are known, encoded by the encoder under test.
enum ImageSample {
    /// Quarters of red and green above blue and white; with alpha, the white one is transparent.
    static func quarters(_ size: ImageSize = ImageSize(width: 48, height: 32), hasAlpha: Bool = false) -> [UInt8] {
        let colors: [[UInt8]] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 0]]
        var pixels: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let color = colors[(y * 2 < size.height ? 0 : 2) + (x * 2 < size.width ? 0 : 1)]
                pixels += color.prefix(hasAlpha ? 4 : 3)
            }
        }
        return pixels
    }

    /// All of one colour; with three numbers opaque, with four not.
    static func plain(_ color: [UInt8], _ size: ImageSize) -> [UInt8] {
        Array([[UInt8]](repeating: color, count: size.area).joined())
    }

    /// Encodes pixels as the operators of a URL say: `format/png`.
    static func encoded(
        _ pixels: [UInt8] = quarters(),
        _ size: ImageSize = ImageSize(width: 48, height: 32),
        as operations: String
    ) throws -> ByteBuffer {
        try VipsLibrary.start()
        let bands = pixels.count / size.area
        let image = try VipsImageHandle(pixels[...], size: size, bands: bands)
        return try encoder(operations, size).encode(image)
    }

    /// Encodes frames of one colour each, shown for 100, 200, … milliseconds, three times over.
    static func moving(_ colors: [[UInt8]], _ size: ImageSize, as operations: String) throws -> ByteBuffer {
        try VipsLibrary.start()
        let all = ImageSize(width: size.width, height: size.height * colors.count)
        return try frames(colors.flatMap { plain($0, size) }, of: size, in: all, as: operations)
    }

    /// Encodes frames whose pixels lie one below the other in `all`.
    static func frames(
        _ pixels: [UInt8],
        of size: ImageSize,
        in all: ImageSize,
        as operations: String
    ) throws -> ByteBuffer {
        try VipsLibrary.start()
        let count = all.height / size.height
        let image = try VipsImageHandle(pixels[...], size: all, bands: 3).unshared()
        image.set("page-height", to: size.height)
        image.set("n-pages", to: count)
        image.set("delay", to: (1...count).map { CInt(100 * $0) })
        image.set("loop", to: 3)
        return try encoder(operations, all).encode(image)
    }

    private static func encoder(_ operations: String, _ size: ImageSize) throws -> ImageEncoder {
        let header = ImageHeader(format: .png, size: size, hasAlpha: true)
        let plan = try ImagePlan(Rendering.request("imageMogr2/\(operations)"), of: header, limits: ImageLimits())
        return ImageEncoder(output: plan.output, watch: JobWatch(until: .now + .seconds(600)))
    }
}
