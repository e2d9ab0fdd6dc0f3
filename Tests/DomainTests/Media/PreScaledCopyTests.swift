import Support
import Testing

@testable import Domain

/// When small derivatives are made of a smaller copy of their source (docs/image-options.md, section 11).
@Suite struct PreScaledCopyTests {
    private let fixture = ImageServiceFixture()
    private let large = ImageHeader(format: .jpeg, size: ImageSize(4000, 3000))

    private var settings: ImageSettings {
        var settings = ImageSettings()
        settings.preScaledSide = 1000
        return settings
    }

    /// That of "a copy", whose bytes count, too.
    private func copyHeader(_ size: ImageSize) -> ImageHeader {
        var header = ImageHeader(format: .jpeg, size: size)
        header.fileSize = "a copy".utf8.count
        return header
    }

    @Test("the first small derivative makes the copy and is made of it")
    func made() async throws {
        let origin = try await fixture.file(as: large)
        fixture.renderer.make("a copy")
        #expect(try await fixture.service(settings).text("imageView2/1/w/200/h/200", of: origin) == "a copy")
        let jobs = fixture.renderer.jobs
        #expect(jobs.map(\.source) == ["a photograph", "a copy"])
        #expect(jobs[0].plan.steps == [.scale(ImageSize(1000, 750))])
        #expect(jobs[0].plan.output.format == .jpeg)
        #expect(jobs[1].header == copyHeader(ImageSize(1000, 750)))
        // As if it were made of the source.
        #expect(jobs[1].plan.steps == (try ImagePlan.of("imageView2/1/w/200/h/200", large).steps))
    }

    @Test("the copy is kept, and later derivatives are made of it, by another server, too")
    func reused() async throws {
        let origin = try await fixture.file(as: large)
        fixture.renderer.make("a copy")
        _ = try await fixture.service(settings).text("imageView2/2/w/200", of: origin)
        // The copy is kept before the derivative is made, the derivative afterwards.
        #expect(await fixture.derivatives.next() == .stored(origin.source))
        #expect(await fixture.derivatives.next() == .stored(origin.source))
        _ = try await fixture.service(settings).text("imageView2/2/w/300", of: origin)
        #expect(fixture.renderer.jobs.map(\.source) == ["a photograph", "a copy", "a copy"])
    }

    @Test("a job on a copy counts the copy's bytes, made now or kept")
    func counted() async throws {
        let origin = try await fixture.file(as: large)
        fixture.renderer.make("a copy")
        _ = try await fixture.service(settings).text("imageView2/2/w/200", of: origin)
        #expect(await fixture.derivatives.next() == .stored(origin.source))
        _ = try await fixture.service(settings).text("imageView2/2/w/300", of: origin)
        #expect(fixture.renderer.jobs.dropFirst().map(\.header.fileSize) == ["a copy".utf8.count, "a copy".utf8.count])
    }

    @Test("a request that waits for the copy of a refused request makes the copy itself")
    func refused() async throws {
        let origin = try await fixture.file(as: large)
        let service = fixture.service(settings)
        let (begun, mayEnd) = fixture.renderer.hold()
        fixture.renderer.fail(with: ServiceError(.overloaded, "Too many images."))
        let first = Task.immediate { try await service.text("imageView2/2/w/200", of: origin) }
        await begun.wait()
        fixture.renderer.fail(with: nil)
        let second = Task.immediate { try await service.text("imageView2/2/w/300", of: origin) }
        try await eventually { service.copies.callerCount == 2 }
        mayEnd.open()
        await expectFailure(.overloaded) { try await first.value }
        #expect(try await second.value == "made")
    }

    @Test("a copy keeps whose work it is if derivatives do, and is not that of other settings")
    func copyright() async throws {
        let origin = try await fixture.file(as: large)
        fixture.renderer.make("a copy")
        _ = try await fixture.service(settings).text("imageView2/2/w/200", of: origin)
        #expect(await fixture.derivatives.next() == .stored(origin.source))
        var other = settings
        other.keepsCopyright = true
        _ = try await fixture.service(other).text("imageView2/2/w/200", of: origin)
        let jobs = fixture.renderer.jobs
        #expect(jobs.map(\.source) == ["a photograph", "a copy", "a photograph", "a copy"])
        #expect(jobs.map(\.plan.output.keepsCopyright) == [false, false, true, true])
    }

    @Test("a copy stands upright, and what is made of it is not turned again")
    func upright() async throws {
        let origin = try await fixture.file(as: large.oriented(6))
        fixture.renderer.make("a copy")
        _ = try await fixture.service(settings).text("imageView2/2/w/150", of: origin)
        let jobs = fixture.renderer.jobs
        #expect(jobs[0].plan.steps == [.orient(6), .scale(ImageSize(750, 1000))])
        #expect(jobs[0].plan.output.orientation == nil)
        #expect(jobs[1].header == copyHeader(ImageSize(750, 1000)))
        #expect(jobs[1].plan.steps == [.scale(ImageSize(150, 200))])
    }

    @Test("a result keeps the quality and format that its own source gives it")
    func output() async throws {
        var header = large
        header.quality = 20
        let origin = try await fixture.file(as: header)
        _ = try await fixture.service(settings).text("imageMogr2/thumbnail/500x/q/60/format/webp", of: origin)
        let output = try #require(fixture.renderer.jobs.last?.plan.output)
        #expect(output == (try ImagePlan.of("imageMogr2/thumbnail/500x/q/60/format/webp", header).output))
    }

    @Test(
        "a derivative is made of its source where a copy does not pay, or would show",
        arguments: [
            // Larger than half the copy on one side.
            ("imageView2/2/w/501", ImageHeader(format: .jpeg, size: ImageSize(4000, 3000))),
            ("imageView2/2/h/501", ImageHeader(format: .jpeg, size: ImageSize(3000, 4000))),
            // Made larger than that on the way.
            ("imageMogr2/thumbnail/501x/thumbnail/10x", ImageHeader(format: .jpeg, size: ImageSize(4000, 3000))),
            // Not much larger than the copy.
            ("imageView2/2/w/200", ImageHeader(format: .jpeg, size: ImageSize(1499, 1000))),
            // Not shrunk first, or not at all.
            ("imageMogr2/crop/400x400/thumbnail/200x", ImageHeader(format: .jpeg, size: ImageSize(4000, 3000))),
            ("imageMogr2/gravity/Center/crop/200x200", ImageHeader(format: .jpeg, size: ImageSize(4000, 3000))),
            // Transparent, moving, or left as it lies.
            ("imageView2/2/w/200", ImageHeader(format: .png, size: ImageSize(4000, 3000), hasAlpha: true, bands: 4)),
            ("imageView2/2/w/200", ImageHeader(format: .gif, size: ImageSize(4000, 3000), frames: 2)),
            (
                "imageMogr2/thumbnail/200x",
                ImageHeader(format: .jpeg, size: ImageSize(4000, 3000)).oriented(6)
            ),
        ]
    )
    func ofTheSource(operations: String, header: ImageHeader) async throws {
        let origin = try await fixture.file(as: header)
        _ = try await fixture.service(settings).text(operations, of: origin)
        #expect(fixture.renderer.jobs.map(\.source) == ["a photograph"])
    }

    @Test(
        "as large as it may be and as large as its source must be, a copy is made",
        arguments: [
            ("imageView2/2/w/500", ImageHeader(format: .jpeg, size: ImageSize(4000, 3000))),
            ("imageView2/2/w/500", ImageHeader(format: .jpeg, size: ImageSize(1500, 1000))),
            ("imageView2/2/h/500", ImageHeader(format: .heic, size: ImageSize(1000, 1500))),
        ]
    )
    func bounds(operations: String, header: ImageHeader) async throws {
        let origin = try await fixture.file(as: header)
        _ = try await fixture.service(settings).text(operations, of: origin)
        #expect(fixture.renderer.jobs.count == 2)
    }

    @Test("without the setting there is no copy")
    func off() async throws {
        let origin = try await fixture.file(as: large)
        _ = try await fixture.service().text("imageView2/2/w/200", of: origin)
        #expect(fixture.renderer.jobs.map(\.source) == ["a photograph"])
    }

    @Test("another size in the setting makes another copy")
    func otherSize() async throws {
        let origin = try await fixture.file(as: large)
        _ = try await fixture.service(settings).text("imageView2/2/w/200", of: origin)
        var other = settings
        other.preScaledSide = 1200
        _ = try await fixture.service(other).text("imageView2/2/w/201", of: origin)
        #expect(fixture.renderer.jobs.map(\.source) == ["a photograph", "made", "a photograph", "made"])
    }

    @Test("a deleted file takes its copy along")
    func removed() async throws {
        let origin = try await fixture.file(as: large)
        _ = try await fixture.service(settings).text("imageView2/2/w/200", of: origin)
        _ = await fixture.derivatives.next()
        _ = await fixture.derivatives.next()
        #expect(fixture.derivatives.count == 2)
        try await fixture.delete(origin)
        #expect(fixture.derivatives.count == 0)
    }
}
