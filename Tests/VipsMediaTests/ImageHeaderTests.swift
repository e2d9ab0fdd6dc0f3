import Domain
import Foundation
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// What is read of an image before its pixels are.
@Suite struct ImageHeaderTests {
    private let size = ImageSize(width: 48, height: 32)

    private func header(_ bytes: ByteBuffer) async throws -> ImageHeader {
        try await Rendering().renderer.header(of: .memory(bytes), for: ImageRequester())
    }

    @Test("a photograph is told by its tables")
    func photograph() async throws {
        let header = try await header(Samples.rocket())
        #expect(header.format == .jpeg)
        #expect(header.size == ImageSize(width: 640, height: 427))
        #expect(header.colorModel == "ycbcr")
        #expect(header.hasProfile)
        #expect(!header.isProgressive)
        #expect(header.quality != nil)
        #expect(!header.hasOrientation && header.orientation == 1)
    }

    @Test("the quality that a JPEG was written with is found", arguments: [10, 50, 75, 90, 100])
    func quality(quality: Int) async throws {
        #expect(try await header(ImageSample.encoded(as: "format/jpeg/q/\(quality)!")).quality == quality)
    }

    @Test(
        "every format is known by its bytes",
        arguments: [
            ("jpeg", .jpeg, "ycbcr"), ("png", .png, "rgba"), ("webp", .webp, "rgba"), ("gif", .gif, "palette"),
        ] as [(String, SourceFormat, String)]
    )
    func formats(word: String, format: SourceFormat, model: String) async throws {
        let header = try await header(ImageSample.encoded(as: "format/\(word)"))
        #expect(header.format == format)
        #expect(header.size == size)
        #expect(header.frames == 1)
        #expect(header.bitsPerSample == 8)
        #expect(header.colorModel.hasPrefix(model), "\(header.colorModel)")
    }

    @Test("transparency is seen", arguments: [("png", "nrgba"), ("webp", "nrgba")])
    func transparency(word: String, model: String) async throws {
        let pixels = ImageSample.quarters(hasAlpha: true)
        let header = try await header(ImageSample.encoded(pixels, as: "format/\(word)"))
        #expect(header.hasAlpha)
        #expect(header.bands == 4)
        #expect(header.colorModel == model)
    }

    @Test("a bitmap and a TIFF are known, too")
    func others() async throws {
        let bitmap = try await header(ByteBuffer(bytes: BitmapSample(width: 4, pixels: Array(0..<24)).bytes))
        #expect(bitmap.format == .bmp)
        #expect(bitmap.size == ImageSize(width: 4, height: 2))
        let tiff = try await header(TagSample.tiff(ImageSample.quarters(), width: 48, height: 32))
        #expect(tiff.format == .tiff)
        #expect(tiff.size == size)
        #expect(tiff.bands == 3)
    }

    @Test("a TIFF of CIELAB has three channels and no transparency")
    func colorsOfLAB() async throws {
        let header = try await header(TagSample.tiff(colors: 8))
        #expect(!header.hasAlpha)
        #expect(header.bands == 3)
        #expect(header.colorModel == "rgba")
    }

    @Test("32 bits are not called 16")
    func deepGrey() async throws {
        #expect(try await header(TagSample.deepGrey).colorModel == "gray")
    }

    @Test("a JPEG in passes says so", arguments: [(0, false), (1, true)])
    func passes(interlace: Int, isProgressive: Bool) async throws {
        let bytes = try ImageSample.encoded(as: "format/jpeg/interlace/\(interlace)")
        #expect(try await header(bytes).isProgressive == isProgressive)
    }

    @Test("frames are counted, and the size is that of one", arguments: ["gif", "webp"])
    func frames(word: String) async throws {
        let bytes = try ImageSample.moving([[255, 0, 0], [0, 255, 0], [0, 0, 255]], size, as: "format/\(word)")
        let header = try await header(bytes)
        #expect(header.frames == 3)
        #expect(header.size == size)
    }

    @Test("an animated PNG says so behind more than a megabyte of other chunks")
    func lateAnimation() async throws {
        let still = Array(try ImageSample.encoded(as: "format/png").readableBytesView)
        // The signature and the header take 33 bytes.
        let other = Self.chunk("abCd", [UInt8](repeating: 0, count: 1100))
        var bytes = Array(still[..<33])
        for _ in 0..<1100 { bytes += other }
        bytes += Self.chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0])
        bytes += still[33...]
        let header = try await header(ByteBuffer(bytes: bytes))
        #expect(header.hasUnreadFrames)
        #expect(header.size == size)
    }

    /// A chunk of a PNG with its checksum.
    static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        func big(_ number: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(number >> $0 & 0xff) } }
        let content = Array(name.utf8) + body
        var checksum = UInt32.max
        for byte in content {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = (checksum >> 1) ^ (checksum & 1 == 1 ? 0xedb8_8320 : 0) }
        }
        return big(UInt32(body.count)) + content + big(~checksum)
    }

    @Test("an orientation is read, and the size is that of the pixels as they lie", arguments: 1...8)
    func orientation(orientation: Int) async throws {
        let header = try await header(TagSample.turned(orientation))
        #expect(header.orientation == orientation)
        #expect(header.hasOrientation)
        #expect(header.size == size)
    }

    @Test("an orientation that there is not counts as none", arguments: [0, 9, 77])
    func noOrientation(orientation: Int) async throws {
        let header = try await header(TagSample.turned(orientation))
        #expect(header.orientation == 1)
    }

    @Test("a file is read through its descriptor, wherever its offset is")
    func descriptor() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/picture"
            try Data(Samples.rocket().readableBytesView).write(to: URL(filePath: path))
            let descriptor = open(path, O_RDONLY)
            lseek(descriptor, 0, SEEK_END)
            let file = LocalFile(owning: descriptor)
            let source = ImageSource.file(FileBlob(size: 112_525, file: file), file)
            let renderer = try Rendering().renderer
            let header = try await renderer.header(of: source, for: ImageRequester())
            let plan = try ImagePlan(Rendering.request("imageView2/2/w/200"), of: header, limits: ImageLimits())
            let image = try await renderer.render(
                plan,
                of: OpenImage(header: header, source: source),
                marks: [:],
                with: .normal,
                until: .now + .seconds(600)
            )
            #expect(try Pixels(image.bytes).size == ImageSize(width: 200, height: 133))
        }
    }
}

private struct FileBlob: OpenBlob {
    let size: Int64
    let file: LocalFile
    var local: LocalBytes? { .file(file) }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer { throw Broken() }
}
