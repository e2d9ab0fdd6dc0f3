import Glibc
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Files of this machine that image jobs open, and when.
@Suite struct ImageFileTests {
    private let fixture = ImageServiceFixture()

    /// An image in a file.
    private func origin(_ text: String, _ files: OpenFiles) -> ImageOrigin {
        fixture.renderer.know(text, as: photoHeader)
        return ImageOrigin(
            source: "own/\(text).jpg",
            version: "1",
            size: Int64(text.utf8.count),
            mediaType: .jpeg,
            open: { try CountedBlob(text, files) }
        )
    }

    @Test("a job that waits has no file open, and opens its file when it runs")
    func waiting() async throws {
        let admission = ImageAdmission(workers: 1, memory: 512 << 20, queue: 16)
        let service = fixture.service(admission: admission)
        let (begun, mayEnd) = fixture.renderer.hold()
        let waiting = OpenFiles()
        let (first, second) = (origin("first", OpenFiles()), origin("second", waiting))
        async let firstResult = service.text("imageView2/2/w/200", of: first)
        await begun.wait()
        async let secondResult = service.text("imageView2/2/w/200", of: second)
        try await eventually { admission.waitingCount == 1 }
        #expect(waiting.count == 0)
        mayEnd.open()
        let results = try await [firstResult, secondResult]
        #expect(results == ["made", "made"])
        #expect(fixture.renderer.jobs.map(\.source) == ["first", "second"])
    }

    /// A job on a stored pre-scaled copy, which waits behind another job until `meanwhile` has ended.
    private func waitingOnCopy(_ meanwhile: () async throws -> Void) async throws -> [String] {
        var settings = ImageSettings()
        settings.preScaledSide = 1000
        let source = try await fixture.file(as: ImageHeader(format: .jpeg, size: ImageSize(4000, 3000)))
        fixture.renderer.make("a copy")
        _ = try await fixture.service(settings).text("imageView2/2/w/200", of: source)
        _ = await fixture.derivatives.next()
        _ = await fixture.derivatives.next()
        let admission = ImageAdmission(workers: 1, memory: 512 << 20, queue: 16)
        let service = fixture.service(settings, admission: admission)
        let earlier = fixture.renderer.jobs.count
        let (begun, mayEnd) = fixture.renderer.hold()
        let first = origin("first", OpenFiles())
        let firstResult = Task.immediate { try await service.text("imageView2/2/w/200", of: first) }
        await begun.wait()
        let secondResult = Task.immediate { try await service.text("imageView2/2/w/300", of: source) }
        try await eventually { admission.waitingCount == 1 }
        try await meanwhile()
        mayEnd.open()
        _ = try await (firstResult.value, secondResult.value)
        return fixture.renderer.jobs.dropFirst(earlier).map(\.source)
    }

    @Test("a job that waits has its pre-scaled copy closed")
    func closedCopy() async throws {
        let files = OpenFiles()
        fixture.derivatives.keepInFiles(files)
        let sources = try await waitingOnCopy { try await eventually { files.count == 0 } }
        #expect(sources == ["first", "a copy"])
    }

    @Test("a job whose pre-scaled copy is removed while it waits is made of its source")
    func removedCopy() async throws {
        fixture.derivatives.keepInFiles(OpenFiles())
        let sources = try await waitingOnCopy { fixture.derivatives.removeAll() }
        #expect(sources == ["first", "a photograph"])
    }

    @Test("an image is closed when its header was read, and opened again for its bytes")
    func reopened() async throws {
        let files = OpenFiles()
        let input = try await fixture.service().open(origin("mark", files), for: ImageRequester())
        #expect(files.count == 0)
        let opened = try await fixture.service().fetch(input)
        let count = withExtendedLifetime(opened) { files.count }
        #expect(count == 1)
    }

    @Test("a header that took too long is not read again at once, neither for EXIF", arguments: ["imageInfo", "exif"])
    func slowHeader(operation: String) async throws {
        let origin = try await fixture.file()
        let service = fixture.service()
        fixture.renderer.failHeaders(with: ServiceError(.imageTimedOut, "It takes too long."))
        await expectFailure(.imageTimedOut) { try await service.answer(operation, of: origin) }
        for other in ["imageInfo", "exif", "imageView2/2/w/20|imageInfo"] {
            await expectFailure(.imageTimedOut) { try await service.answer(other, of: origin) }
        }
        #expect(fixture.renderer.looks == 1)
    }

    @Test("a header that failed for another reason is read again")
    func brokenHeader() async throws {
        let origin = try await fixture.file()
        let service = fixture.service()
        fixture.renderer.failHeaders(with: ServiceError(.overloaded, "Too many headers wait."))
        for _ in 0..<2 {
            await expectFailure(.overloaded) { try await service.answer("imageInfo", of: origin) }
        }
        #expect(fixture.renderer.looks == 2)
    }

    @Test("a header that took too long is read again when sources were found damaged or whole")
    func forgotten() async throws {
        let origin = try await fixture.file()
        let service = fixture.service()
        fixture.renderer.failHeaders(with: ServiceError(.imageTimedOut, "It takes too long."))
        await expectFailure(.imageTimedOut) { try await service.answer("imageInfo", of: origin) }
        service.forgetSources()
        await expectFailure(.imageTimedOut) { try await service.answer("imageInfo", of: origin) }
        #expect(fixture.renderer.looks == 2)
    }
}

/// How many blobs are open.
final class OpenFiles: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .sequentiallyConsistent) }

    func add(_ change: Int) {
        number.wrappingAdd(change, ordering: .sequentiallyConsistent)
    }
}

/// A blob in a file without a name, which counts as open while it exists.
final class CountedBlob: OpenBlob {
    let size: Int64
    private let file: LocalFile
    private let files: OpenFiles

    init(_ text: String, _ files: OpenFiles) throws {
        guard let stream = tmpfile() else { throw Broken() }
        defer { fclose(stream) }
        let descriptor = dup(fileno(stream))
        guard descriptor >= 0, write(descriptor, text, text.utf8.count) == text.utf8.count else { throw Broken() }
        size = Int64(text.utf8.count)
        file = LocalFile(owning: descriptor)
        self.files = files
        files.add(1)
    }

    deinit {
        files.add(-1)
    }

    var local: LocalBytes? { .file(file) }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer { throw Broken() }
}
