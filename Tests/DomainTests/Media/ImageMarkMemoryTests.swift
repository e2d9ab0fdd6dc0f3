import Support
import Testing

@testable import Domain

/// What images cost that are laid over others: each place of one is decoded by itself, and stays in memory.
@Suite struct ImageMarkMemoryTests {
    private let photo = ImageHeader(format: .jpeg, size: ImageSize(4000, 3000))
    /// As large as the photograph.
    private let large = ImageHeader(format: .png, size: ImageSize(4000, 3000), hasAlpha: true, bands: 4)
    private let place = "/image/\("own/mark.png".inBase64)"
    private var sixteenPlaces: String { String(repeating: place, count: 16) }

    /// What the places of one mark add to the memory estimate of a job.
    private func estimate(_ operations: String, _ mark: ImageHeader, effort: ImageEffort = .fast) throws -> Int {
        let key = try #require(FileKey("own/mark.png"))
        var plan = try ImagePlan.of(operations, photo)
        plan.output.effort = effort
        return plan.memoryEstimate(of: photo, marks: [key: mark]) - plan.memoryEstimate(of: photo)
    }

    @Test("a mark costs its pixels at each of its places, though the image is made small afterwards")
    func everyPlace() throws {
        let estimate = try estimate("watermark/3\(sixteenPlaces)|imageView2/2/w/100", large)
        #expect(estimate >= 16 * 4000 * 3000 * 4)
    }

    @Test("places of one mark cost as much in one operator as in several")
    func operators() throws {
        let one = try estimate("watermark/3\(place)\(place)", large)
        #expect(try one == estimate("watermark/1\(place)|watermark/1\(place)", large))
    }

    @Test(
        "a mark costs by the size that the image has where it is laid over",
        arguments: ["imageView2/2/w/100", "imageMogr2/crop/100x75", "imageMogr2/thumbnail/100x/rotate/45"]
    )
    func smallPicture(operations: String) throws {
        #expect(try estimate("\(operations)|watermark/1\(place)", large) < 4000 * 3000 * 4)
    }

    @Test("small marks cost little on a large image")
    func smallMark() throws {
        let small = ImageHeader(format: .png, size: ImageSize(200, 100))
        #expect(try estimate("watermark/3\(sixteenPlaces)", small) < 4000 * 3000 * 4)
    }

    @Test("a mark whose decoder holds the image costs all of its pixels, however small it is laid over")
    func wholeDecoder() throws {
        let bitmap = ImageHeader(format: .bmp, size: ImageSize(4000, 3000))
        #expect(try estimate("imageView2/2/w/100|watermark/1\(place)", bitmap) >= 4000 * 3000 * 4)
    }

    @Test("a JPEG that is made smaller for its place costs what that takes, and its file")
    func smallerJPEG() throws {
        var jpeg = ImageHeader(format: .jpeg, size: ImageSize(8000, 6000))
        jpeg.fileSize = 10 << 20
        let estimate = try estimate("imageView2/2/w/2000|watermark/1\(place)", jpeg)
        #expect(estimate >= jpeg.downscaledMemory(to: ImageSize(2000, 1500)) + jpeg.fileSize)
    }

    @Test("a JPEG that EXIF turns costs by the size that its pixels are made smaller to")
    func turnedJPEG() throws {
        // Upright 1000x4000, so 250x1000 on the image: a quarter as long, which is decoded at once.
        let jpeg = ImageHeader(format: .jpeg, size: ImageSize(4000, 1000)).oriented(6)
        let estimate = try estimate("imageMogr2/crop/2000x1000|watermark/1\(place)", jpeg)
        #expect(estimate >= jpeg.downscaledMemory(to: ImageSize(1000, 250)) + 250 * 1000 * 4)
    }

    @Test("a JPEG that keeps its size costs only some lines beside its pixels")
    func sameSizeJPEG() throws {
        let jpeg = ImageHeader(format: .jpeg, size: ImageSize(2000, 1500))
        #expect(try estimate("watermark/1\(place)", jpeg) < jpeg.downscaledMemory(to: jpeg.size) + 2000 * 1500 * 8)
    }

    @Test("with the best quality a JPEG is made smaller line by line, which costs less")
    func bestQuality() throws {
        let jpeg = ImageHeader(format: .jpeg, size: ImageSize(8000, 6000))
        let operations = "imageView2/2/w/2000|watermark/1\(place)"
        #expect(try estimate(operations, jpeg, effort: .best) < estimate(operations, jpeg))
    }

    @Test("a mark that the worker draws costs by its own size", arguments: [SourceFormat.heic, .svg, .tiff])
    func drawn(format: SourceFormat) throws {
        let mark = ImageHeader(format: format, size: ImageSize(4000, 3000))
        #expect(try estimate("imageView2/2/w/100|watermark/1\(place)", mark) >= 4000 * 3000 * 8)
    }

    @Test("marks that take more than the memory are refused, though one of them takes less")
    func refused() async throws {
        let fixture = ImageServiceFixture()
        let origin = try await fixture.file()
        let mark = ImageHeader(format: .png, size: photoHeader.size, hasAlpha: true, bands: 4)
        _ = try await fixture.file("a mark", as: mark, key: "own/mark.png")
        let service = fixture.service(admission: ImageAdmission(workers: 1, memory: 64 << 20, queue: 1))
        #expect(try await service.text("watermark/1\(place)|imageView2/2/w/100", of: origin) == "made")
        await expectFailure(.imageTooLarge) {
            try await service.text("watermark/3\(sixteenPlaces)|imageView2/2/w/100", of: origin)
        }
    }
}
