import CVips
import Domain
import NIOCore
import Testing

@testable import VipsMedia

/// Colour profiles are applied if they fit the image and can be read; otherwise they are ignored.
@Suite struct ColorProfileTests {
    private static let gray: [UInt8] = [60]
    private static let color: [UInt8] = [200, 60, 20]
    private static let chains = [
        "imageMogr2/format/png", "imageMogr2/thumbnail/24x/format/png",
        "imageMogr2/thumbnail/40x|imageMogr2/thumbnail/20x/format/png",
    ]

    /// A JPEG of one colour with a profile, which no encoder would write if it does not fit.
    private func source(_ color: [UInt8], _ profile: ProfileSample, isProgressive: Bool = false) throws -> ByteBuffer {
        try VipsLibrary.start()
        let size = ImageSize(width: 48, height: 32)
        let pixels = ImageSample.plain(color, size)
        var made = VipsImageHandle.drawn(size, bands: color.count) { memory in
            memory.copyBytes(from: pixels)
            return true
        }
        guard let drawn = made.take() else { throw VipsError(operation: "drawn", detail: "") }
        let target = try VipsTargetHandle()
        guard cvips_jpegsave(drawn.pointer, target.pointer, 95, isProgressive ? 1 : 0, 1) == 0 else {
            throw VipsError.take("save")
        }
        let jpeg = try target.withBytes { Array($0) }
        let segment = JPEGSample.segment(0xe2, Array("ICC_PROFILE\0".utf8) + [1, 1] + profile.bytes)
        return ByteBuffer(bytes: [0xff, 0xd8] + segment + Array(jpeg.dropFirst(2)))
    }

    /// The colour of the result as red, green and blue.
    private func result(
        _ chain: String,
        _ source: ByteBuffer,
        _ effort: ImageEffort
    ) async throws -> [Int] {
        let rendered = try await Rendering().render(chain, source) { $0.output.effort = effort }
        let pixels = try Pixels(rendered.bytes)
        #expect(pixels.bands == 1 || pixels.bands == 3)
        let pixel = pixels[pixels.size.width / 2, pixels.size.height / 2].map(Int.init)
        return pixel.count == 1 ? [pixel[0], pixel[0], pixel[0]] : pixel
    }

    private func isNear(_ one: [Int], _ other: [Int]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) <= 4 }
    }

    @Test(
        "a profile of another colour model, and a broken one, is ignored",
        arguments: [
            (gray, .swapped), (gray, .lab), (gray, .grayWithoutCurve), (gray, .truncated), (gray, .junk),
            (color, .gray), (color, .lab), (color, .swappedWithoutCurve), (color, .truncated), (color, .junk),
        ] as [([UInt8], ProfileSample)]
    )
    func ignored(color: [UInt8], profile: ProfileSample) async throws {
        try await expect(color.count == 1 ? [60, 60, 60] : [200, 60, 20], of: color, profile)
    }

    @Test(
        "a profile that fits is applied, in linear light too",
        arguments: [
            (gray, .gray, [133, 133, 133]), (color, .swapped, [12, 57, 201]),
        ] as [([UInt8], ProfileSample, [Int])]
    )
    func applied(color: [UInt8], profile: ProfileSample, expected: [Int]) async throws {
        try await expect(expected, of: color, profile)
    }

    private func expect(_ expected: [Int], of color: [UInt8], _ profile: ProfileSample) async throws {
        // A progressive one is shrunk by libvips, another one is not.
        for isProgressive in [false, true] {
            let source = try source(color, profile, isProgressive: isProgressive)
            for chain in Self.chains {
                for effort in ImageEffort.allCases {
                    let result = try await result(chain, source, effort)
                    #expect(isNear(result, expected), "\(chain), \(effort), \(isProgressive): \(result)")
                }
            }
        }
    }

    @Test(
        "only a profile of the image's colour model counts",
        arguments: [
            (gray, .gray, true), (gray, .swapped, false), (gray, .lab, false), (gray, .junk, false),
            (color, .swapped, true), (color, .gray, false), (color, .lab, false), (color, .truncated, false),
        ] as [([UInt8], ProfileSample, Bool)]
    )
    func header(color: [UInt8], profile: ProfileSample, fits: Bool) async throws {
        let source = try source(color, profile)
        #expect(try await Rendering().open(source).header.hasProfile == fits)
    }
}
