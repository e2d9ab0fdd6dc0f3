import Support
import Testing

@testable import Domain

/// Formats that the client accepts and the URL does not name.
@Suite struct AutomaticFormatTests {
    private let fixture = ImageServiceFixture()

    @Test(
        "an automatic format that takes too much memory is passed over",
        arguments: [
            (ImageSize(4500, 3000), [.avif, .webp], .webp), (ImageSize(4500, 3000), [.avif], .jpeg),
            (ImageSize(3000, 2000), [.avif, .webp], .avif),
        ] as [(ImageSize, [ImageFormat], ImageFormat)]
    )
    func automaticMemory(size: ImageSize, automatic: [ImageFormat], format: ImageFormat) async throws {
        let origin = try await fixture.file(as: ImageHeader(format: .jpeg, size: size))
        #expect(try await fixture.service().text("imageMogr2/quality/80", of: origin, automatic: automatic) == "made")
        #expect(fixture.renderer.jobs.map(\.plan.output.format) == [format])
    }

    @Test("an automatic format that takes too much work is passed over")
    func automaticWork() async throws {
        let origin = try await fixture.file(as: ImageHeader(format: .jpeg, size: ImageSize(3000, 2000)))
        var settings = ImageSettings()
        settings.limits.work = 1000
        let service = fixture.service(settings)
        #expect(try await service.text("imageMogr2/quality/80", of: origin, automatic: [.avif, .webp]) == "made")
        #expect(fixture.renderer.jobs.map(\.plan.output.format) == [.jpeg])
    }

    @Test("a result that is longer than its format can store is refused, but passed over if the format is automatic")
    func longerThanFormat() async throws {
        let origin = try await fixture.file(as: ImageHeader(format: .jpeg, size: ImageSize(17_000, 100)))
        var settings = ImageSettings()
        settings.limits.resultSide = 20_000
        let service = fixture.service(settings)
        await expectFailure(.imageTooLarge) { try await service.text("imageMogr2/format/webp", of: origin) }
        #expect(fixture.renderer.jobs.isEmpty)
        #expect(try await service.text("imageMogr2/quality/80", of: origin, automatic: [.webp]) == "made")
        #expect(fixture.renderer.jobs.map(\.plan.output.format) == [.jpeg])
    }
}
