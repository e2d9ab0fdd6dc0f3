import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Images whose bytes are on another machine: how much of them is read, and when.
@Suite struct RemoteSourceTests {
    private let fixture = ImageServiceFixture()
    private let reads = Reads()
    /// Three megabytes, more than is fetched to memory.
    private let large = String(repeating: "a photograph ", count: 240_000)

    private func origin(_ text: String, as header: ImageHeader? = photoHeader) -> ImageOrigin {
        if let header { fixture.renderer.know(text, as: header) }
        let blob = RemoteOpenBlob(bytes: ByteBuffer(string: text), onRead: reads.add)
        return ImageOrigin(
            source: "own/photo.jpg",
            version: "1",
            size: blob.size,
            mediaType: .jpeg,
            open: { blob }
        )
    }

    private let head = 0..<Int64(ImageService.headSize)

    @Test("an image with too long sides is refused by its first bytes")
    func sides() async throws {
        let origin = origin(large, as: ImageHeader(format: .png, size: ImageSize(30_001, 1)))
        await expectFailure(.imageTooLarge) { try await fixture.service().text("imageView2/2/w/200", of: origin) }
        #expect(reads.all == [head])
    }

    @Test("an image whose header is told by later bytes is refused by the size that its first bytes tell")
    func partialSides() async throws {
        let origin = origin(large)
        fixture.renderer.tellPartially(ImageSize(30_001, 1))
        await expectFailure(.imageTooLarge) { try await fixture.service().text("imageView2/2/w/200", of: origin) }
        #expect(reads.all == [head])
    }

    @Test("a job that takes too much work is refused by the first bytes of its image")
    func work() async throws {
        var settings = ImageSettings()
        settings.limits.work = 1
        let origin = origin(large)
        await expectFailure(.imageTooLarge) {
            try await fixture.service(settings).text("imageView2/2/w/200", of: origin)
        }
        await expectFailure(.imageTooLarge) { try await fixture.service(settings).answer("imageAve", of: origin) }
        #expect(reads.all.allSatisfy { $0 == head })
    }

    @Test("an image with too many bytes is not opened")
    func bytes() async throws {
        var settings = ImageSettings()
        settings.limits.sourceSize = 1000
        let origin = origin(large)
        await expectFailure(.imageTooLarge) {
            try await fixture.service(settings).text("imageView2/2/w/200", of: origin)
        }
        #expect(reads.all == [])
    }

    @Test("bytes that begin no image are not read further")
    func noImage() async throws {
        let origin = origin(large, as: nil)
        await expectFailure(.notAnImage) { try await fixture.service().text("imageView2/2/w/200", of: origin) }
        #expect(reads.all == [head])
    }

    @Test("an image that is allowed is copied once, in pieces, and the copy goes", arguments: [false, true])
    func copied(isPartial: Bool) async throws {
        let origin = origin(large)
        if isPartial { fixture.renderer.tellPartially(nil) }
        #expect(try await fixture.service().text("imageView2/2/w/200", of: origin) == "made")
        #expect(fixture.renderer.jobs.map(\.source) == [large])
        #expect(reads.all.first == head)
        #expect(reads.all.dropFirst().allSatisfy { $0.count <= 256 << 10 })
        #expect(reads.all.dropFirst().reduce(0) { $0 + $1.count } == large.utf8.count)
        #expect(fixture.scratch.count == 0)
    }

    @Test("an image that is no longer than the first bytes is read once, to memory")
    func small() async throws {
        let text = "a small photograph"
        let origin = origin(text)
        #expect(try await fixture.service().text("imageView2/2/w/200", of: origin) == "made")
        #expect(reads.all == [0..<Int64(text.utf8.count)])
        #expect(fixture.renderer.jobs.map(\.source) == [text])
    }

    @Test("the header is read once, and answers a question about the image without its other bytes")
    func information() async throws {
        let service = fixture.service()
        let origin = origin(large)
        for _ in 0..<2 { _ = try await service.answer("imageInfo", of: origin) }
        #expect(reads.all == [head])
    }

    @Test("a source that cannot be read to its end leaves no copy")
    func broken() async throws {
        let blob = RemoteOpenBlob(bytes: ByteBuffer(string: large)) { [reads] range in reads.add(range) }
        fixture.renderer.know(large + "lost", as: photoHeader)
        let origin = ImageOrigin(
            source: "own/photo.jpg",
            version: "1",
            size: blob.size + 4,
            mediaType: .jpeg,
            open: { ShortBlob(base: blob, size: blob.size + 4) }
        )
        await expectFailure(.internalFailure) { try await fixture.service().text("imageView2/2/w/200", of: origin) }
        #expect(fixture.renderer.jobs.isEmpty)
        #expect(fixture.scratch.count == 0)
    }
}

/// The ranges that were read of a blob.
private final class Reads: Sendable {
    private let ranges = Mutex<[Range<Int64>]>([])

    var all: [Range<Int64>] { ranges.withLock(\.self) }

    func add(_ range: Range<Int64>) {
        ranges.withLock { $0.append(range) }
    }
}

/// A blob with fewer bytes than it says.
private struct ShortBlob: OpenBlob {
    let base: RemoteOpenBlob
    let size: Int64
    var local: LocalBytes? { nil }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        try await base.read(at: offset, count: count)
    }
}
