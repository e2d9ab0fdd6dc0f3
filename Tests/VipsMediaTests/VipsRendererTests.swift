import Domain
import Foundation
import NIOCore
import NIOPosix
import Support
import Testing

@testable import VipsMedia

@Suite struct VipsRendererTests {
    private let renderer: VipsRenderer

    init() throws {
        renderer = try VipsRenderer(pool: .singleton)
    }

    private func render(
        _ request: ImageRequest,
        _ bytes: ByteBuffer? = nil,
        limits: ImageLimits = ImageLimits()
    ) async throws -> RenderedImage {
        try await renderer.render(request, from: .memory(try bytes ?? Samples.rocket()), within: limits)
    }

    /// Size and format of an encoded image, read back through libvips.
    private func shape(_ image: RenderedImage) throws -> String {
        try image.bytes.withUnsafeReadableBytes { bytes in
            let source = try VipsSourceHandle(bytes: bytes)
            guard let header = Thumbnail.header(of: source) else { throw Broken() }
            return "\(header.width)x\(header.height)"
        }
    }

    @Test(
        "mode 2 fits inside and never enlarges; the photograph has 640x427",
        arguments: [
            (200, 200, "200x133"), (200, nil, "200x133"), (nil, 100, "150x100"), (5000, 5000, "640x427"),
            (640, 10, "15x10"),
        ] as [(Int?, Int?, String)]
    )
    func inside(width: Int?, height: Int?, expected: String) async throws {
        let image = try await render(ImageRequest(fit: .inside, width: width, height: height))
        #expect(try shape(image) == expected)
        #expect(image.format == .jpeg)
    }

    @Test("mode 1 is exactly the box, also a larger one", arguments: [(100, 100), (640, 10), (33, 400), (1000, 900)])
    func cover(width: Int, height: Int) async throws {
        let image = try await render(ImageRequest(fit: .cover, width: width, height: height))
        #expect(try shape(image) == "\(width)x\(height)")
    }

    @Test("every format is written as what it says", arguments: ImageFormat.allCases)
    func format(format: ImageFormat) async throws {
        let image = try await render(ImageRequest(fit: .inside, width: 64, height: nil, format: format))
        let bytes = Array(image.bytes.readableBytesView)
        let starts: [ImageFormat: [UInt8]] = [
            .jpeg: [0xff, 0xd8, 0xff], .png: Array("\u{89}PNG".unicodeScalars.map { UInt8($0.value) }),
            .webp: Array("RIFF".utf8), .gif: Array("GIF8".utf8),
        ]
        if let start = starts[format] {
            #expect(bytes.starts(with: start))
        } else {
            #expect(bytes.dropFirst(4).starts(with: Array("ftypavif".utf8)))
        }
        #expect(try shape(image).hasPrefix("64x"))
    }

    @Test("without a format the derivative has the source's", arguments: [ImageFormat.png, .webp, .gif, .avif])
    func ownFormat(format: ImageFormat) async throws {
        let source = try await render(ImageRequest(fit: .inside, width: 64, height: nil, format: format))
        let image = try await render(ImageRequest(fit: .inside, width: 32, height: nil), source.bytes)
        #expect(image.format == format)
    }

    @Test("a derivative carries no metadata of the source, and its colours are sRGB")
    func stripped() async throws {
        let image = try await render(ImageRequest(fit: .inside, width: 200, height: nil))
        #expect(image.bytes.readableBytesView.firstRange(of: Array("ICC_PROFILE".utf8)) == nil)
        #expect(try Samples.rocket().readableBytesView.firstRange(of: Array("ICC_PROFILE".utf8)) != nil)
    }

    @Test("a lower quality is a smaller file")
    func quality() async throws {
        let sizes = try await [10, 50, 95].asyncMap {
            try await render(ImageRequest(fit: .inside, width: 300, height: nil, quality: $0)).bytes.readableBytes
        }
        #expect(sizes == sizes.sorted())
        #expect(sizes[0] < sizes[2] / 2)
    }

    @Test(
        "what is no picture is refused",
        arguments: ["", "hello", "<html></html>", "<svg xmlns='http://www.w3.org/2000/svg'/>", "%PDF-1.4\n", "GIF89a"]
    )
    func noImage(text: String) async {
        let error = await #expect(throws: ServiceError.self) {
            try await render(ImageRequest(fit: .inside, width: 10, height: nil), ByteBuffer(string: text))
        }
        #expect(error?.code == .notAnImage)
        #expect(error?.message == "The file is not an image that can be read.")
    }

    @Test("a photograph cut short is refused, at every tenth of it", arguments: 1...9)
    func truncated(tenths: Int) async throws {
        let whole = try Samples.rocket()
        let cut = try #require(whole.getSlice(at: 0, length: whole.readableBytes * tenths / 10))
        let error = await #expect(throws: ServiceError.self) {
            try await render(ImageRequest(fit: .inside, width: 600, height: nil), cut)
        }
        #expect(error?.code == .notAnImage)
    }

    @Test("sources and results beyond the limits are refused by name")
    func limits() async throws {
        let side = await #expect(throws: ServiceError.self) {
            try await render(ImageRequest(fit: .inside, width: 10, height: nil), limits: ImageLimits(sourceSide: 639))
        }
        #expect(side?.message.contains("images.maxSourceSide") == true)
        let pixels = await #expect(throws: ServiceError.self) {
            try await render(
                ImageRequest(fit: .inside, width: 10, height: nil),
                limits: ImageLimits(sourcePixels: 1000)
            )
        }
        #expect(pixels?.message.contains("images.maxSourcePixels") == true)
        let result = await #expect(throws: ServiceError.self) {
            try await render(
                ImageRequest(fit: .inside, width: 100, height: nil),
                limits: ImageLimits(resultPixels: 1000)
            )
        }
        #expect(result?.message.contains("images.maxResultPixels") == true)
    }

    @Test("an open file is read through its descriptor")
    func descriptor() async throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Support/Images/rocket.jpg")
        let file = try FileHandle(forReadingFrom: path)
        let blob = DescriptorBlob(size: 112_525, descriptor: file.fileDescriptor)
        let source = ImageSource.file(blob, file.fileDescriptor)
        let request = ImageRequest(fit: .inside, width: 200, height: nil)
        let image = try await renderer.render(request, from: source, within: ImageLimits())
        #expect(try shape(image) == "200x133")
        try file.close()
    }

    @Test("a hundred jobs at once all succeed")
    func parallel() async throws {
        try await withThrowingTaskGroup(of: String.self) { group in
            for width in 100..<200 {
                group.addTask { try shape(try await render(ImageRequest(fit: .cover, width: width, height: 50))) }
            }
            var shapes: Set<String> = []
            for try await shape in group { shapes.insert(shape) }
            #expect(shapes.count == 100)
        }
    }
}

private struct DescriptorBlob: OpenBlob {
    let size: Int64
    let descriptor: CInt?

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer { throw Broken() }
}

extension Array where Element: Sendable {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
