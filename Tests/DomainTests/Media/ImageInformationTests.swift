import Support
import Testing

@testable import Domain

/// What requests for information are answered with (docs/image-options.md, section 7).
@Suite struct ImageInformationTests {
    private let fixture = ImageServiceFixture()

    private func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), field: "expected")
    }

    @Test("imageInfo tells size, format, sides and colours")
    func info() async throws {
        let header = ImageHeader(format: .png, size: ImageSize(640, 480), hasAlpha: true, bands: 4, colorModel: "nrgba")
        let origin = try await fixture.file(as: header)
        #expect(
            try await fixture.service().answer("imageInfo", of: origin)
                == json(#"{"size":12,"format":"png","width":640,"height":480,"colorModel":"nrgba"}"#)
        )
        #expect(fixture.renderer.jobs.isEmpty)
    }

    @Test(
        "imageInfo counts the frames of animations, and of every GIF",
        arguments: [
            (SourceFormat.gif, 1, 1), (.gif, 3, 3), (.webp, 3, 3), (.webp, 1, nil), (.jpeg, 1, nil),
        ] as [(SourceFormat, Int, Int64?)]
    )
    func frames(format: SourceFormat, frames: Int, told: Int64?) async throws {
        let origin = try await fixture.file(as: ImageHeader(format: format, size: ImageSize(8, 6), frames: frames))
        let answer = try await fixture.service().answer("imageInfo", of: origin)
        #expect(answer?.objectValue?["frameNumber"]?.integerValue == told)
    }

    @Test(
        "imageInfo tells the orientation in EXIF's words, where EXIF says one, and the sides as the pixels lie",
        arguments: [
            (1, "Top-left"), (2, "Top-right"), (3, "Bottom-right"), (4, "Bottom-left"), (5, "Left-top"),
            (6, "Right-top"),
            (7, "Right-bottom"), (8, "Left-bottom"),
        ]
    )
    func orientation(number: Int, word: String) async throws {
        let origin = try await fixture.file(as: photoHeader.oriented(number))
        let answer = try await fixture.service().answer("imageInfo", of: origin)
        #expect(answer?.objectValue?["orientation"]?.stringValue == word)
        #expect(answer?.objectValue?["width"]?.integerValue == 800)
    }

    @Test("imageInfo tells no orientation where EXIF says none")
    func noOrientation() async throws {
        let origin = try await fixture.file()
        let answer = try await fixture.service().answer("imageInfo", of: origin)
        #expect(answer?.objectValue?["orientation"] == nil)
    }

    @Test("imageInfo behind a chain tells of the result")
    func infoOfResult() async throws {
        let origin = try await fixture.file()
        fixture.renderer.know("made", as: ImageHeader(format: .webp, size: ImageSize(400, 300), colorModel: "rgba"))
        #expect(
            try await fixture.service().answer("imageView2/2/w/400/format/webp|imageInfo", of: origin)
                == json(#"{"size":4,"format":"webp","width":400,"height":300,"colorModel":"rgba"}"#)
        )
    }

    @Test("imageInfo behind a chain looks at the derivative that the chain alone has")
    func infoShares() async throws {
        let origin = try await fixture.file()
        fixture.renderer.know("made", as: photoHeader)
        _ = try await fixture.service().text("imageView2/2/w/400", of: origin)
        _ = await fixture.derivatives.next()
        _ = try await fixture.service().answer("imageView2/2/w/400|imageInfo", of: origin)
        #expect(fixture.renderer.jobs.count == 1)
    }

    @Test("imageInfo behind an imageslim that gains nothing tells of the source")
    func infoOfSlim() async throws {
        let origin = try await fixture.file()
        fixture.renderer.make("larger than the source")
        let answer = try await fixture.service().answer("imageslim|imageInfo", of: origin)
        #expect(answer?.objectValue?["size"]?.integerValue == 12)
    }

    @Test("imageInfo behind a chain whose answer is the source tells of the source")
    func infoOfSource() async throws {
        let origin = try await fixture.file()
        let answer = try await fixture.service().answer("imageMogr2/size-limit/1!|imageInfo", of: origin)
        #expect(answer?.objectValue?["width"]?.integerValue == 800)
        #expect(answer?.objectValue?["size"]?.integerValue == 12)
    }

    @Test("exif tells types and values of all fields")
    func exif() async throws {
        let origin = try await fixture.file()
        fixture.renderer.know(exif: [
            "DateTime": ExifField(type: 2, value: "2024:05:02 10:00:00"),
            "Orientation": ExifField(type: 3, value: "Top-left"),
        ])
        let expected = """
            {"DateTime":{"type":2,"val":"2024:05:02 10:00:00"},"Orientation":{"type":3,"val":"Top-left"}}
            """
        #expect(try await fixture.service().answer("exif", of: origin) == json(expected))
    }

    @Test("exif of an image without any has no answer")
    func noExif() async throws {
        let origin = try await fixture.file()
        #expect(try await fixture.service().answer("exif", of: origin) == nil)
    }

    @Test("imageAve tells the mean colour")
    func average() async throws {
        let origin = try await fixture.file()
        #expect(try await fixture.service().answer("imageAve", of: origin) == json(#"{"RGB":"0x85694d"}"#))
    }

    @Test("stat tells of any file, also of one that is no image")
    func stat() async throws {
        let origin = try await fixture.file("a text", as: nil)
        #expect(
            try await fixture.service().answer("stat", of: origin)
                == json(#"{"fsize":6,"hash":"\#(origin.version)","mimeType":"image/jpeg"}"#)
        )
        #expect(fixture.renderer.looks == 0)
    }

    @Test("requests for information about what is no image are refused", arguments: ["imageInfo", "exif", "imageAve"])
    func noImage(name: String) async throws {
        let origin = try await fixture.file("a text", as: nil)
        await expectFailure(.notAnImage) { try await fixture.service().answer(name, of: origin) }
    }

    @Test(
        "requests for information about what has too many bytes are refused",
        arguments: ["imageInfo", "exif", "imageAve"]
    )
    func tooLarge(name: String) async throws {
        let origin = try await fixture.file()
        var settings = ImageSettings()
        settings.limits.sourceSize = 11
        let service = fixture.service(settings)
        await expectFailure(.imageTooLarge) { try await service.answer(name, of: origin) }
    }

    @Test(
        "requests for information get no permit when too many jobs run",
        arguments: ["imageInfo", "exif", "imageAve"]
    )
    func overloaded(name: String) async throws {
        let origin = try await fixture.file()
        let admission = ImageAdmission(workers: 1, memory: 512 << 20, queue: 0)
        let service = fixture.service(admission: admission)
        try await admission.admit { _ in
            await expectFailure(.overloaded) { try await service.answer(name, of: origin) }
        }
        _ = try await service.answer(name, of: origin)
    }
}
