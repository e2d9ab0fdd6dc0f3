import Domain
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// What is told by the first bytes of an image alone.
@Suite struct HeadReaderTests {
    private func read(_ bytes: ByteBuffer, first count: Int) async throws -> HeadReading {
        let head = bytes.getSlice(at: 0, length: count) ?? ByteBuffer()
        return try await Rendering().renderer.header(
            ofHead: head,
            of: Int64(bytes.readableBytes),
            for: ImageRequester()
        )
    }

    private func header(_ bytes: ByteBuffer) async throws -> ImageHeader {
        try await Rendering().renderer.header(of: .memory(bytes), for: ImageRequester())
    }

    /// Pixels that compress to many times the shortest head below.
    private static let size = ImageSize(width: 200, height: 150)

    private static func sample(_ operations: String) throws -> ByteBuffer {
        var generator = SystemRandomNumberGenerator()
        let pixels = (0..<size.area * 3).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return try ImageSample.encoded(pixels, size, as: operations)
    }

    @Test(
        "however much of an image is there, its header is the right one or is not told",
        arguments: [
            "format/jpg", "format/jpg/interlace/1", "format/png", "format/png/interlace/1", "format/webp",
            "format/webp/quality/100",
        ]
    )
    func never(operations: String) async throws {
        let bytes = try Self.sample(operations)
        let expected = try await header(bytes)
        for percent in [1, 2, 5, 10, 25, 50, 75, 90, 99, 100] {
            let count = max(64, bytes.readableBytes * percent / 100)
            switch try await read(bytes, first: count) {
            case .whole(let header): #expect(header == expected, "\(percent) %")
            case .partial(let size): #expect(size == nil || size == expected.size, "\(percent) %")
            }
        }
        #expect(try await read(bytes, first: bytes.readableBytes) == .whole(expected))
    }

    @Test("a photograph and a PNG tell their headers long before their pixels end")
    func early() async throws {
        for bytes in [try Samples.rocket(), try Self.sample("format/png")] {
            let expected = try await header(bytes)
            #expect(try await read(bytes, first: bytes.readableBytes / 4) == .whole(expected))
        }
    }

    @Test(
        "images of which later bytes tell more tell their size first",
        arguments: ["format/jpg/interlace/1", "format/webp"]
    )
    func sides(operations: String) async throws {
        let bytes = try Self.sample(operations)
        #expect(try await read(bytes, first: bytes.readableBytes / 2) == .partial(Self.size))
    }

    @Test("bytes that begin no image are none, without the rest")
    func noImage() async throws {
        let bytes = ByteBuffer(string: String(repeating: "a text ", count: 1000))
        await expectFailure(.notAnImage) { try await read(bytes, first: 100) }
    }

    @Test("formats whose readers must have all bytes tell nothing by the first ones")
    func needsAll() async throws {
        let svg = ByteBuffer(string: WorkerSample.svg("<g/>") + String(repeating: " ", count: 1000))
        for bytes in try [svg] + ["format/gif", "format/avif"].map(Self.sample) {
            for count in [500, bytes.readableBytes - 1, bytes.readableBytes] {
                #expect(try await read(bytes, first: count) == .partial(nil))
            }
        }
    }
}
