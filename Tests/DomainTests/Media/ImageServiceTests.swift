import NIOCore
import Support
import Testing

@testable import Domain

/// What an image is answered with, and what is made for it.
@Suite struct ImageServiceTests {
    private let fixture = ImageServiceFixture()

    @Test("an image is made as its operators say, and served as its format")
    func made() async throws {
        let origin = try await fixture.file()
        let request = try #require(try ImageRequest.read("imageView2/2/w/400/format/webp"))
        guard case .derivative(let made) = try await fixture.service().result(request, of: origin) else {
            Issue.record("The source is no answer.")
            return
        }
        #expect(made.mediaType == .webp)
        #expect(made.tag == StoredDerivative.tag(of: ByteBuffer(string: "made")))
        #expect(try await made.blob.read(at: 0, count: 100) == ByteBuffer(string: "made"))
        #expect(fixture.renderer.jobs.map(\.source) == ["a photograph"])
        #expect(fixture.renderer.jobs.first?.plan.steps == [.scale(ImageSize(400, 300))])
    }

    @Test("settings reach the plan")
    func settings() async throws {
        let origin = try await fixture.file()
        var settings = ImageSettings()
        settings.effort = .best
        settings.keepsCopyright = true
        _ = try await fixture.service(settings).text("imageView2/2/w/400", of: origin)
        let output = try #require(fixture.renderer.jobs.first?.plan.output)
        #expect(output.effort == .best)
        #expect(output.keepsCopyright)
    }

    @Test("equal requests that come together are made once")
    func once() async throws {
        let origin = try await fixture.file()
        let service = fixture.service()
        let (begun, mayEnd) = fixture.renderer.hold()
        // The same image, written in other ways.
        let clients = [
            "imageView2/2/w/400/q/50", "imageView2/2/q/50/w/400", "imageView2%2F2%2Fw%2F400%2Fq%2F50.0",
        ].map { operations in Task.immediate { try await service.text(operations, of: origin) } }
        await begun.wait()
        mayEnd.open()
        for client in clients { #expect(try await client.value == "made") }
        #expect(fixture.renderer.jobs.count == 1)
    }

    @Test("when all clients of an image leave, its making stops")
    func left() async throws {
        let origin = try await fixture.file()
        let service = fixture.service()
        let begun = fixture.renderer.hold().begun
        let client = Task.immediate { try await service.text("imageView2/2/w/400", of: origin) }
        await begun.wait()
        client.cancel()
        await #expect(throws: CancellationError.self) { try await client.value }
    }

    @Test("the header of a source is read once for all of its derivatives")
    func headerOnce() async throws {
        let origin = try await fixture.file()
        let service = fixture.service()
        for width in 1...3 { _ = try await service.text("imageView2/2/w/\(width)", of: origin) }
        #expect(fixture.renderer.looks == 1)
    }

    @Test("a source beyond the limit on bytes is refused before it is opened")
    func tooLarge() async throws {
        let origin = try await fixture.file()
        var settings = ImageSettings()
        settings.limits.sourceSize = 11
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.service(settings).text("imageView2/2/w/400", of: origin)
        }
        #expect(error?.code == .imageTooLarge)
        #expect(error?.message.contains("12 bytes") == true)
        #expect(error?.message.contains("(images.maxSourceSize)") == true)
        #expect(fixture.renderer.looks == 0)
    }

    @Test("what is no image is refused")
    func noImage() async throws {
        let origin = try await fixture.file("a text", as: nil)
        await expectFailure(.notAnImage) { try await fixture.service().text("imageView2/2/w/400", of: origin) }
    }

    @Test("an image that alone takes more than the memory is refused, and nothing rendered")
    func tooExpensive() async throws {
        let header = ImageHeader(format: .jpeg, size: ImageSize(4000, 3000), isProgressive: true)
        let origin = try await fixture.file(as: header)
        let service = fixture.service(admission: ImageAdmission(workers: 1, memory: 8 << 20, queue: 1))
        await expectFailure(.imageTooLarge) { try await service.text("imageView2/2/w/400", of: origin) }
        #expect(fixture.renderer.jobs.isEmpty)
    }

    @Test("work beyond the limit is refused before anything is rendered, and ignored if errors are")
    func tooMuchWork() async throws {
        let header = ImageHeader(format: .webp, size: ImageSize(1400, 1400), frames: 30)
        let origin = try await fixture.file(as: header)
        let service = fixture.service()
        let error = await #expect(throws: ServiceError.self) {
            try await service.text("imageMogr2/blur/50x50", of: origin)
        }
        #expect(error?.code == .imageTooLarge)
        #expect(error?.message.contains("15000 ms (images.maxWork)") == true)
        #expect(try await service.text("imageMogr2/blur/50x50/ignore-error/1", of: origin) == nil)
        #expect(fixture.renderer.jobs.isEmpty)
        #expect(try await service.text("imageView2/2/w/50", of: origin) == "made")
    }

    @Test("a job counts for its app, its client's address and its file")
    func requester() async throws {
        let origin = try await fixture.file()
        let request = try #require(try ImageRequest.read("imageView2/2/w/400"))
        _ = try await fixture.service().result(request, of: origin, from: "192.0.2.1")
        let expected = ImageRequester(app: AppID("app"), address: "192.0.2.1", file: "own/photo.jpg")
        #expect(fixture.renderer.requesters == [expected, expected])
    }

    @Test("a failure is not kept: who asks again may succeed")
    func failure() async throws {
        let origin = try await fixture.file()
        let service = fixture.service()
        fixture.renderer.fail(with: ServiceError(.imageTimedOut, "It took too long."))
        await expectFailure(.imageTimedOut) { try await service.text("imageView2/2/w/400", of: origin) }
        await expectFailure(.imageTimedOut) { try await service.text("imageView2/2/w/400", of: origin) }
        #expect(fixture.renderer.jobs.count == 2)
    }

    @Test("an image is refused if images of all apps fill the memory and it cannot be kept")
    func memoryOfAllApps() async throws {
        let served = ServedMemory(limit: 4)
        let request = try #require(try ImageRequest.read("imageView2/2/w/400"))
        let origin = try await fixture.file()
        let made = try await fixture.service(served: served).result(request, of: origin)
        let other = ImageServiceFixture(derivatives: WatchedDerivatives(bound: 0))
        let otherOrigin = try await other.file()
        await expectFailure(.overloaded) {
            try await other.service(served: served).result(request, of: otherOrigin)
        }
        withExtendedLifetime(made) {}
    }

    // MARK: The source as the answer

    @Test(
        "a source that cannot be read is the answer itself, if the first operator ignores errors",
        arguments: [ServiceError.Code.notAnImage, .imageTooLarge]
    )
    func ignored(code: ServiceError.Code) async throws {
        let origin = try await fixture.file()
        fixture.renderer.fail(with: ServiceError(code, "No."))
        let service = fixture.service()
        #expect(try await service.text("imageView2/2/w/400/ignore-error/1", of: origin) == nil)
        #expect(try await service.text("imageMogr2/rotate/90/ignore-error/1|imageInfo", of: origin) == nil)
        await expectFailure(code) { try await service.text("imageView2/2/w/400", of: origin) }
        let later = "imageView2/2/w/400|imageMogr2/rotate/90/ignore-error/1"
        await expectFailure(code) { try await service.text(later, of: origin) }
    }

    @Test(
        "an operator that ignores errors ignores none of those behind it",
        arguments: [
            "imageView2/2/w/90/ignore-error/1|imageMogr2/thumbnail/9999x9999!",
            "imageView2/2/w/90/ignore-error/1|imageMogr2/gravity/Center/crop/!5x5a999a999",
        ]
    )
    func notLater(operations: String) async throws {
        let origin = try await fixture.file()
        await #expect(throws: ServiceError.self) { try await fixture.service().text(operations, of: origin) }
    }

    @Test("that the source is the answer is found out once", arguments: ["imageslim", "imageMogr2/size-limit/3!"])
    func fruitless(operations: String) async throws {
        let origin = try await fixture.file()
        let service = fixture.service()
        fixture.renderer.make("more than twelve bytes")
        #expect(try await service.text(operations, of: origin) == nil)
        #expect(try await service.text(operations, of: origin) == nil)
        #expect(fixture.renderer.jobs.count == 1)
    }

    @Test("a source beyond a limit is the answer itself, if the first operator ignores errors")
    func ignoredLimit() async throws {
        let origin = try await fixture.file(as: ImageHeader(format: .png, size: ImageSize(30_001, 1)))
        let service = fixture.service()
        #expect(try await service.text("imageView2/2/w/400/ignore-error/1", of: origin) == nil)
        await expectFailure(.imageTooLarge) { try await service.text("imageView2/2/w/400", of: origin) }
    }

    @Test(
        "the server's own state is no failure that can be ignored",
        arguments: [
            ServiceError.Code.overloaded, .imageTimedOut, .internalFailure,
        ]
    )
    func notIgnored(code: ServiceError.Code) async throws {
        let origin = try await fixture.file()
        fixture.renderer.fail(with: ServiceError(code, "No."))
        await expectFailure(code) {
            try await fixture.service().text("imageView2/2/w/400/ignore-error/1", of: origin)
        }
    }

    @Test("too many jobs are refused, though the operator ignores errors")
    func overloaded() async throws {
        let origin = try await fixture.file()
        let service = fixture.service(admission: ImageAdmission(workers: 1, memory: 512 << 20, queue: 0))
        let (begun, mayEnd) = fixture.renderer.hold()
        let running = Task.immediate { try await service.text("imageView2/2/w/400", of: origin) }
        await begun.wait()
        await expectFailure(.overloaded) {
            try await service.text("imageView2/2/w/200/ignore-error/1", of: origin)
        }
        mayEnd.open()
        #expect(try await running.value == "made")
    }

    @Test(
        "a strict size limit that no quality keeps gives the source, any other the result",
        arguments: [("size-limit/3!", nil), ("size-limit/4!", "made"), ("size-limit/3", "made")] as [(String, String?)]
    )
    func sizeLimit(operations: String, answer: String?) async throws {
        let origin = try await fixture.file()
        #expect(try await fixture.service().text("imageMogr2/\(operations)", of: origin) == answer)
    }

    @Test(
        "imageslim gives the source unless the result is smaller",
        arguments: [
            ("twelve bytes", nil), ("eleven byte", "eleven byte"), ("thirteen more", nil),
        ] as [(String, String?)]
    )
    func slim(result: String, answer: String?) async throws {
        let origin = try await fixture.file()
        fixture.renderer.make(result)
        #expect(try await fixture.service().text("imageslim", of: origin) == answer)
        // Behind another operator there is nothing else to return.
        #expect(try await fixture.service().text("imageView2/2/w/400|imageslim", of: origin) == result)
    }

    @Test("imageslim renders nothing of a format that it leaves alone")
    func slimOther() async throws {
        let origin = try await fixture.file(as: ImageHeader(format: .webp, size: ImageSize(800, 600)))
        #expect(try await fixture.service().text("imageslim", of: origin) == nil)
        #expect(fixture.renderer.jobs.isEmpty)
    }

    // MARK: Marks

    @Test("a mark is opened and reaches the renderer, once for all its places")
    func marks() async throws {
        let origin = try await fixture.file()
        _ = try await fixture.file(
            "a mark",
            as: ImageHeader(format: .png, size: ImageSize(10, 10)),
            key: "own/mark.png"
        )
        let mark = "image/\("own/mark.png".inBase64)"
        let operations = "watermark/3/\(mark)/\(mark)/gravity/North|watermark/1/\(mark)"
        #expect(try await fixture.service().text(operations, of: origin) == "made")
        #expect(fixture.renderer.jobs.map(\.marks) == [["own/mark.png": "a mark"]])
    }

    @Test("a mark that is no file is refused by its key")
    func missingMark() async throws {
        let origin = try await fixture.file()
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.service().text("watermark/1/image/\("own/mark.png".inBase64)", of: origin)
        }
        #expect(error?.code == .badImageRequest)
        #expect(error?.message.contains("'own/mark.png'") == true)
        #expect(fixture.renderer.jobs.isEmpty)
    }

    @Test("a mark that is no image is refused with the reason, in whole sentences")
    func unreadableMark() async throws {
        let origin = try await fixture.file()
        _ = try await fixture.file("a text", as: nil, key: "own/mark.png")
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.service().text("watermark/1/image/\("own/mark.png".inBase64)", of: origin)
        }
        #expect(error?.message == "Bad image request: the watermark's image cannot be used. 'a text' is no image.")
    }

    @Test("a mark is held to the limits of sources")
    func largeMark() async throws {
        let origin = try await fixture.file()
        let large = ImageHeader(format: .png, size: ImageSize(30_001, 1))
        _ = try await fixture.file("a mark", as: large, key: "own/mark.png")
        await expectFailure(.badImageRequest) {
            try await fixture.service().text("watermark/1/image/\("own/mark.png".inBase64)", of: origin)
        }
    }
}
