import Support
import Testing

@testable import Domain

/// Whose failures `ignore-error` passes over while an image is made (docs/image-options.md, section 8).
@Suite struct ImageIgnoredErrorTests {
    private let fixture = ImageServiceFixture()
    private let operations = "imageView2/2/w/90/ignore-error/1"
    /// Less than a progressive photograph of this size takes.
    private let narrow = ImageAdmission(workers: 1, memory: 8 << 20, queue: 1)
    private let progressive = ImageHeader(format: .jpeg, size: ImageSize(4000, 3000), isProgressive: true)

    // MARK: Failures while pixels are made

    @Test(
        "what fails while pixels are made is an error if one of several operators ignores none",
        arguments: [ServiceError.Code.notAnImage, .imageTooLarge]
    )
    func oneDoesNot(code: ServiceError.Code) async throws {
        let origin = try await fixture.file()
        fixture.renderer.fail(with: ServiceError(code, "No."))
        await expectFailure(code) { try await fixture.service().text("\(operations)|imageMogr2/rotate/90", of: origin) }
    }

    @Test("what fails while pixels are made gives the source if all operators ignore errors")
    func allDo() async throws {
        let origin = try await fixture.file()
        fixture.renderer.fail(with: ServiceError(.notAnImage, "No."))
        let chain = "\(operations)|imageMogr2/rotate/90/ignore-error/1"
        #expect(try await fixture.service().text(chain, of: origin) == nil)
    }

    @Test("a broken mark is an error, though the operator before it ignores errors")
    func brokenMark() async throws {
        let origin = try await fixture.file()
        let header = ImageHeader(format: .png, size: ImageSize(10, 10))
        _ = try await fixture.file("a mark", as: header, key: "own/mark.png")
        fixture.renderer.fail(with: ServiceError(.notAnImage, "No."))
        let chain = "\(operations)|watermark/1/image/\("own/mark.png".inBase64)"
        await expectFailure(.notAnImage) { try await fixture.service().text(chain, of: origin) }
    }

    // MARK: More memory than there is

    @Test("an only operator that ignores errors ignores that the image takes too much memory")
    func memory() async throws {
        let origin = try await fixture.file(as: progressive)
        #expect(try await fixture.service(admission: narrow).text(operations, of: origin) == nil)
    }

    @Test("one of several operators does not ignore that the image takes too much memory")
    func memoryOfSeveral() async throws {
        let origin = try await fixture.file(as: progressive)
        let service = fixture.service(admission: narrow)
        await expectFailure(.imageTooLarge) { try await service.text("\(operations)|imageMogr2/rotate/90", of: origin) }
    }

    // MARK: What is remembered

    @Test("an ignored failure is not remembered: who asks again may get an image")
    func again() async throws {
        let origin = try await fixture.file()
        let service = fixture.service()
        fixture.renderer.fail(with: ServiceError(.notAnImage, "No."))
        #expect(try await service.text(operations, of: origin) == nil)
        #expect(try await service.text(operations, of: origin) == nil)
        #expect(fixture.renderer.jobs.count == 2)
    }

    @Test("an operator that fails by the size of the source is skipped once for all equal requests")
    func skippedOperator() async throws {
        let origin = try await fixture.file()
        let chain = "imageMogr2/crop/!10x10a900a0/ignore-error/1"
        #expect(try await fixture.service().text(chain, of: origin) == "made")
        #expect(await fixture.derivatives.next() == .stored(origin.source))
        #expect(try await fixture.service().text(chain, of: origin) == "made")
        #expect(fixture.renderer.jobs.count == 1)
    }

    @Test("the source after an ignored failure is told apart from one that every request gets")
    func toldApart() async throws {
        let origin = try await fixture.file()
        let service = fixture.service()
        let slim = try #require(try ImageRequest.read("imageslim"))
        fixture.renderer.make("longer than a photograph")
        guard case .source = try await service.result(slim, of: origin) else {
            Issue.record("The image is not the source.")
            return
        }
        let request = try #require(try ImageRequest.read(operations))
        fixture.renderer.fail(with: ServiceError(.notAnImage, "No."))
        guard case .sourceAfterFailure = try await service.result(request, of: origin) else {
            Issue.record("The failure is not told apart.")
            return
        }
    }

    @Test("a source that cannot be read is read again by who asks again")
    func readAgain() async throws {
        let origin = try await fixture.file("a text", as: nil)
        let service = fixture.service()
        #expect(try await service.text(operations, of: origin) == nil)
        #expect(try await service.text(operations, of: origin) == nil)
        #expect(fixture.renderer.looks == 2)
    }

    // MARK: Sources larger than results

    @Test("a source that no result may be as large as is the answer, and nothing is rendered")
    func largeSource() async throws {
        let origin = try await fixture.file(as: ImageHeader(format: .jpeg, size: ImageSize(9000, 6000)))
        #expect(try await fixture.service().text("imageView2/2/w/9000/ignore-error/1", of: origin) == nil)
        #expect(fixture.renderer.jobs.isEmpty)
    }
}
