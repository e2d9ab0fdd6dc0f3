import CVips
import Support
import Synchronization
import Testing

@testable import VipsMedia

/// What a writer of libvips' gets from an image, whether it is called on the thread that computes or on another one.
@Suite struct StripWriterTests {
    /// What reached the writer, and after how many strips it fails.
    private final class Written: Sendable {
        let strips = Mutex<[(top: CInt, bytes: [UInt8])]>([])
        let failsAfter: Int

        init(failsAfter: Int = .max) {
            self.failsAfter = failsAfter
        }
    }

    private static let writer: LibvipsLoops.LinesWriter = { region, place, data in
        guard let region = region?.assumingMemoryBound(to: VipsRegion.self).pointee,
            let place = place?.assumingMemoryBound(to: VipsRect.self).pointee, let data
        else { return -1 }
        let written = Unmanaged<Written>.fromOpaque(data).takeUnretainedValue()
        return written.strips.withLock { strips in
            guard strips.count < written.failsAfter else { return -1 }
            var bytes: [UInt8] = []
            for line in 0..<Int(place.height) {
                let first = region.data + Int(place.top - region.valid.top + CInt(line)) * Int(region.bpl)
                bytes += UnsafeBufferPointer(start: first, count: Int(place.width))
            }
            strips.append((place.top, bytes))
            return 0
        }
    }

    /// An image of one band, as it is in memory and as a picture that is computed when it is asked for: turned upside
    /// down.
    private func withImage(
        width: Int,
        height: Int,
        _ body: (UnsafeMutablePointer<VipsImage>, [UInt8]) throws -> Void
    ) throws {
        try VipsLibrary.start()
        let pixels = (0..<width * height).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / width) }
        let image = try #require(
            vips_image_new_from_memory_copy(pixels, pixels.count, CInt(width), CInt(height), 1, VIPS_FORMAT_UCHAR)
        )
        defer { g_object_unref(image) }
        var turned: UnsafeMutablePointer<VipsImage>?
        try #require(cvips_flip(image, &turned, VIPS_DIRECTION_VERTICAL) == 0)
        let result = try #require(turned)
        defer { g_object_unref(result) }
        let lines = (0..<height).reversed().flatMap { pixels[$0 * width..<($0 + 1) * width] }
        try body(result, lines)
    }

    @Test(
        "every line comes once and in order",
        arguments: [(40, 30), (1000, 99), (1000, 100), (700, 1300), (100_000, 1)]
    )
    func order(width: Int, height: Int) throws {
        try withImage(width: width, height: height) { image, lines in
            let written = Written()
            let data = Unmanaged.passUnretained(written).toOpaque()
            #expect(libvipsWritesLines(image, Self.writer, data) == 0)
            written.strips.withLock { strips in
                #expect(strips.map(\.top) == strips.map(\.top).sorted())
                #expect(strips.flatMap(\.bytes) == lines)
            }
        }
    }

    @Test("a writer that fails ends the image, and is not called again", arguments: [0, 1, 2, 5])
    func failure(strips: Int) throws {
        try withImage(width: 700, height: 1300) { image, _ in
            let written = Written(failsAfter: strips)
            let data = Unmanaged.passUnretained(written).toOpaque()
            #expect(libvipsWritesLines(image, Self.writer, data) == -1)
            #expect(written.strips.withLock(\.count) == strips)
        }
    }

    @Test("an image that cannot be computed ends after what was written")
    func damaged() throws {
        try withImage(width: 700, height: 1300) { image, _ in
            let written = Written()
            let data = Unmanaged.passUnretained(written).toOpaque()
            vips_image_set_progress(image, 1)
            vips_image_set_kill(image, 1)
            #expect(libvipsWritesLines(image, Self.writer, data) == -1)
            #expect(written.strips.withLock(\.count) < 2)
        }
    }
}
