import NIOCore
import Support
import Testing

@testable import Domain

/// What of the derivatives is stored, and what goes (docs/image-options.md, section 11).
@Suite struct ImageStoringTests {
    private let fixture = ImageServiceFixture()
    private let operations = "imageView2/2/w/400"

    /// A file with one derivative that is stored.
    private func stored(by service: ImageService) async throws -> ImageOrigin {
        let origin = try await fixture.file()
        _ = try await service.text(operations, of: origin)
        #expect(await fixture.derivatives.next() == .stored(origin.source))
        return origin
    }

    @Test("an image is stored, and opened by a server that was started later")
    func reopened() async throws {
        let origin = try await stored(by: fixture.service())
        #expect(try await fixture.service().text(operations, of: origin) == "made")
        #expect(fixture.renderer.jobs.count == 1)
    }

    @Test("what is stored is opened with the type that it was made with")
    func type() async throws {
        let service = fixture.service()
        let origin = try await fixture.file()
        let request = try #require(try ImageRequest.read("imageView2/2/w/400/format/avif"))
        #expect(try await service.cached(request, of: origin) == nil)
        _ = try await service.result(request, of: origin)
        _ = await fixture.derivatives.next()
        #expect(try await service.cached(request, of: origin)?.mediaType == .avif)
    }

    @Test(
        "another request of the same image is made anew",
        arguments: ["imageView2/2/w/401", "imageView2/2/w/400/q/75", "imageMogr2/thumbnail/400x"]
    )
    func otherWords(other: String) async throws {
        let service = fixture.service()
        let origin = try await stored(by: service)
        _ = try await service.text(other, of: origin)
        #expect(fixture.renderer.jobs.count == 2)
    }

    @Test("other automatic formats make another derivative")
    func automatic() async throws {
        let service = fixture.service()
        let origin = try await stored(by: service)
        _ = try await service.text(operations, of: origin, automatic: [.webp])
        _ = try await service.text(operations, of: origin, automatic: [.avif, .webp])
        #expect(fixture.renderer.jobs.map(\.plan.output.format) == [.jpeg, .webp, .avif])
    }

    @Test("other settings make another derivative")
    func settings() async throws {
        let origin = try await stored(by: fixture.service())
        var best = ImageSettings()
        best.effort = .best
        _ = try await fixture.service(best).text(operations, of: origin)
        var copyright = ImageSettings()
        copyright.keepsCopyright = true
        _ = try await fixture.service(copyright).text(operations, of: origin)
        #expect(fixture.renderer.jobs.count == 3)
    }

    @Test("other limits on results make another derivative", arguments: [(9000, 25_000_000), (9999, 24_000_000)])
    func resultLimits(side: Int, pixels: Int) async throws {
        let origin = try await stored(by: fixture.service())
        var other = ImageSettings()
        other.limits = ImageLimits(resultSide: side, resultPixels: pixels)
        _ = try await fixture.service(other).text(operations, of: origin)
        #expect(fixture.renderer.jobs.count == 2)
    }

    @Test("other bytes under the same name make another derivative")
    func version() async throws {
        let service = fixture.service()
        let origin = try await stored(by: service)
        let other = ImageOrigin(
            source: origin.source,
            version: "another",
            size: origin.size,
            mediaType: origin.mediaType,
            open: origin.open
        )
        _ = try await service.text(operations, of: other)
        #expect(fixture.renderer.jobs.count == 2)
    }

    @Test("nothing is stored where the source is the answer")
    func source() async throws {
        let service = fixture.service()
        let origin = try await fixture.file()
        #expect(try await service.text("imageMogr2/size-limit/1!", of: origin) == nil)
        // The next image is the first that is stored.
        _ = try await service.text(operations, of: origin)
        #expect(await fixture.derivatives.next() == .stored(origin.source))
        #expect(fixture.derivatives.count == 1)
    }

    @Test("a derivative that was stored after a cache miss is not rendered again")
    func lookedTooEarly() async throws {
        let service = fixture.service()
        let origin = try await fixture.file()
        let request = try #require(try ImageRequest.read(operations))
        #expect(try await service.cached(request, of: origin) == nil)
        // By another server, so that no flight of this one can help.
        _ = try await fixture.service().text(operations, of: origin)
        #expect(await fixture.derivatives.next() == .stored(origin.source))
        _ = try await service.result(request, of: origin)
        #expect(fixture.renderer.jobs.count == 1)
    }

    @Test("an image is answered before it is stored")
    func answeredFirst() async throws {
        let origin = try await fixture.file()
        let (reached, mayGoOn) = fixture.derivatives.holdStores()
        let service = fixture.service()
        #expect(try await service.text(operations, of: origin) == "made")
        await reached.wait()
        // Until it is stored, all get the same one.
        #expect(try await service.text(operations, of: origin) == "made")
        #expect(fixture.renderer.jobs.count == 1)
        mayGoOn.open()
        #expect(await fixture.derivatives.next() == .stored(origin.source))
    }

    // MARK: Files that go

    @Test("a deleted file takes its derivatives along, and no other's")
    func removed() async throws {
        let service = fixture.service()
        let origin = try await stored(by: service)
        let other = try await fixture.file("another photograph", key: "own/other.jpg")
        _ = try await service.text(operations, of: other)
        #expect(await fixture.derivatives.next() == .stored(other.source))
        try await fixture.delete(origin)
        #expect(await fixture.derivatives.next() == .removed(origin.source))
        #expect(fixture.derivatives.count == 1)
    }

    @Test("an image that is stored after its file was deleted goes at once")
    func race() async throws {
        let origin = try await fixture.file()
        let (reached, mayGoOn) = fixture.derivatives.holdStores()
        _ = try await fixture.service().text(operations, of: origin)
        await reached.wait()
        try await fixture.delete(origin)
        #expect(await fixture.derivatives.next() == .removed(origin.source))
        mayGoOn.open()
        #expect(await fixture.derivatives.next() == .stored(origin.source))
        #expect(await fixture.derivatives.next() == .removed(origin.source))
        #expect(fixture.derivatives.count == 0)
    }

    @Test("a large image of a deleted file goes, though its only client leaves while it is stored")
    func leftWhileKept() async throws {
        fixture.renderer.make(String(repeating: "x", count: 1 << 20 + 1))
        let file = try await fixture.file()
        let deleted = ImageOrigin(
            source: file.source,
            version: file.version,
            size: file.size,
            mediaType: file.mediaType,
            open: file.open,
            // A cancelled look finds nothing out, which counts as there.
            isThere: { Task.isCancelled }
        )
        let (reached, mayGoOn) = fixture.derivatives.holdStores()
        let service = fixture.service()
        let client = Task.immediate { [operations] in try await service.text(operations, of: deleted) }
        await reached.wait()
        client.cancel()
        mayGoOn.open()
        _ = await client.result
        #expect(fixture.derivatives.count == 0)
    }

    @Test("of a file that was deleted nothing is made any more")
    func gone() async throws {
        let service = fixture.service()
        let origin = try await fixture.file()
        _ = try await service.text(operations, of: origin)
        try await fixture.delete(origin)
        await expectFailure(.fileNotFound) { try await service.text("imageView2/2/w/200", of: origin) }
    }
}
