import Domain
import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import VipsMedia

/// Whole workers: the built binary, confined, on real bytes.
///
/// One after the other, because some look for children that were left behind.
@Suite(.serialized) struct WorkerTests {
    /// Long after any worker has ended, also where hundreds of other tests run at the same time.
    let soon = ContinuousClock.now + .seconds(WorkerTests.patience)
    static let patience = 300

    // MARK: Drawing

    @Test("each format says its size and whether it is transparent", arguments: WorkerSample.all)
    func header(sample: WorkerSample) async throws {
        let header = try await launcher().header(of: sample.source, with: .normal)
        #expect(header.format == sample.format)
        #expect(header.size == ImageSize(width: 16, height: 8))
        #expect(header.hasAlpha == sample.isTransparent)
        #expect(header.colorModel == (sample.isTransparent ? "nrgba" : "rgba"))
    }

    @Test("each format is drawn at its own size if none is asked for", arguments: WorkerSample.all)
    func natural(sample: WorkerSample) async throws {
        let picture = try await launcher().decode(sample.source, at: nil, until: soon)
        #expect(picture.size == ImageSize(width: 16, height: 8))
        #expect(picture.pixels.count == 16 * 8 * picture.bands)
    }

    @Test(
        "each format fills exactly the size asked for",
        arguments: WorkerSample.all,
        [ImageSize(width: 160, height: 80), ImageSize(width: 7, height: 5), ImageSize(width: 33, height: 400)]
    )
    func exact(sample: WorkerSample, size: ImageSize) async throws {
        let picture = try await launcher().decode(sample.source, at: size, until: soon)
        #expect(picture.size == size)
        #expect(picture.bands == (sample.isTransparent ? 4 : 3))
        #expect(picture.pixels.count == size.area * picture.bands)
        // Red on the left, blue on the right.
        #expect(picture.color(x: size.width / 8, y: size.height / 2).starts(with: [255, 0, 0]))
        #expect(picture.color(x: size.width - 1 - size.width / 8, y: size.height / 2).starts(with: [0, 0, 255]))
    }

    @Test("HEIC and AVIF are drawn", arguments: WorkerSample.codedFrames)
    func codedFrames(bytes: ByteBuffer) async throws {
        let picture = try await launcher().decode(.memory(bytes), at: ImageSize(width: 32, height: 16), until: soon)
        #expect(picture.pixels.count == 32 * 16 * 3)
        // Their encoders are not lossless.
        #expect(zip(picture.color(x: 4, y: 8), [255, 0, 0]).allSatisfy { abs(Int($0) - $1) < 4 })
        #expect(zip(picture.color(x: 28, y: 8), [0, 0, 255]).allSatisfy { abs(Int($0) - $1) < 4 })
    }

    @Test("what is made of lines is drawn for the size, not enlarged", arguments: [SourceFormat.svg, .pdf])
    func sharp(format: SourceFormat) async throws {
        let sample = try #require(WorkerSample.all.first { $0.format == format })
        let picture = try await launcher().decode(sample.source, at: ImageSize(width: 1600, height: 800), until: soon)
        // The edge between red and blue has no blend of both around it.
        #expect(picture.color(x: 798, y: 400).starts(with: [255, 0, 0]))
        #expect(picture.color(x: 801, y: 400).starts(with: [0, 0, 255]))
    }

    @Test("a page without a background is white")
    func page() async throws {
        let picture = try await launcher().decode(.memory(WorkerSample.emptyPage), at: nil, until: soon)
        #expect(picture.bands == 3)
        #expect(picture.pixels.allSatisfy { $0 == 255 })
    }

    @Test("text is drawn, so fonts are found from inside")
    func text() async throws {
        let svg = svg("<text y='40' font-size='40' font-family='sans-serif'>Hamburg</text>")
        let picture = try await launcher().decode(svg, at: nil, until: soon)
        #expect(picture.opaquePixels > 500)
    }

    @Test("many workers read one file at the same time, and leave its descriptor where it was")
    func together() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "lcfile-worker-\(getpid())").path
        let bytes = try #require(WorkerSample.all.first { $0.format == .jp2 }).bytes
        try Data(bytes.readableBytesView).write(to: URL(filePath: path))
        let descriptor = open(path, O_RDONLY)
        unlink(path)
        let file = LocalFile(owning: descriptor)
        let source = ImageSource.file(OpenFile(size: Int64(bytes.readableBytes), file: file), file)
        let sizes = try await withThrowingTaskGroup(of: ImageSize.self) { group in
            for _ in 0..<6 {
                group.addTask { try await launcher().decode(source, at: nil, until: soon).size }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sizes == Array(repeating: ImageSize(width: 16, height: 8), count: 6))
        let offset = file.withDescriptor { lseek($0, 0, SEEK_CUR) }
        #expect(offset == 0)
    }

    // MARK: What an image asks for

    @Test("an SVG's own images are drawn")
    func ownPictures() async throws {
        let body = WorkerSample.names(of: "data:image/png;base64,\(WorkerSample.redDot)")[0]
        let picture = try await launcher().decode(svg(body), at: nil, until: soon)
        #expect(picture.color(x: 50, y: 25) == [255, 0, 0, 255])
    }

    @Test("an SVG is given no file, however it names it", arguments: ["file://", ""], 0..<9)
    func files(scheme: String, place: Int) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "lcfile-\(UUID().uuidString).png").path
        try #require(Data(base64Encoded: WorkerSample.redDot)).write(to: URL(filePath: path))
        defer { unlink(path) }
        let body = WorkerSample.names(of: scheme + path)[place]
        let picture = try await launcher().decode(svg(body), at: nil, until: soon)
        #expect(picture.opaquePixels == 0)
    }

    @Test("an SVG opens no connection")
    func network() async throws {
        let listener = try Listener()
        let body = WorkerSample.names(of: "http://127.0.0.1:\(listener.port)/x.png").joined()
        _ = try await launcher().decode(svg(body), at: nil, until: soon)
        #expect(!listener.hasConnections)
    }

    @Test("an SVG's scripts do not run, and what they stand in is drawn")
    func scripts() async throws {
        let body = """
            <script>document.documentElement.setAttribute('opacity', '0')</script>
            <rect width="100" height="50" fill="lime" onload="this.remove()"/>
            """
        let picture = try await launcher().decode(svg(body), at: nil, until: soon)
        #expect(picture.color(x: 50, y: 25) == [0, 255, 0, 255])
    }

    @Test("an SVG's entities name no files")
    func entities() async throws {
        let text = """
            <!DOCTYPE svg [
            <!ENTITY e SYSTEM "file:///etc/ld.so.cache"><!ENTITY f SYSTEM "file:///etc/fonts/fonts.conf">
            ]>
            <svg xmlns="http://www.w3.org/2000/svg" width="100" height="50"><text y="40">&e;&f;</text></svg>
            """
        do {
            let picture = try await launcher().decode(.memory(ByteBuffer(string: text)), at: nil, until: soon)
            #expect(picture.opaquePixels == 0)
        } catch let error as ServiceError {
            #expect(error.code == .notAnImage)
        }
    }

    // MARK: Support

    func launcher(
        memory: Int = 512 << 20,
        limits: ImageLimits = ImageLimits(timeout: patience)
    ) -> WorkerLauncher {
        WorkerLauncher(
            executable: WorkerSample.program,
            memory: memory,
            limits: limits,
            pool: .singleton,
            headerTime: WorkerTests.patience
        )
    }

    func svg(_ body: String) -> ImageSource {
        .memory(ByteBuffer(string: WorkerSample.svg(body)))
    }
}

extension DecodedImage {
    fileprivate func color(x: Int, y: Int) -> [UInt8] {
        let start = pixels.startIndex + (y * size.width + x) * bands
        return Array(pixels[start..<start + bands])
    }

    /// How many are not fully transparent.
    fileprivate var opaquePixels: Int {
        stride(from: pixels.startIndex + 3, to: pixels.endIndex, by: 4).count { pixels[$0] != 0 }
    }
}

private struct OpenFile: OpenBlob {
    let size: Int64
    let file: LocalFile
    var local: LocalBytes? { .file(file) }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer { ByteBuffer() }
}
