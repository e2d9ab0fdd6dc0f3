import Support
import Testing

@testable import Domain

/// The cost estimates of jobs that only decode an image: `imageAve`, and samples for checks of its content.
@Suite struct ImageDecodingCostTests {
    private let fixture = ImageServiceFixture()

    @Test("imageAve of an animation counts one frame of it as image work")
    func averageOfAnimation() async throws {
        let origin = try await fixture.file(as: ImageHeader(format: .gif, size: ImageSize(400, 300), frames: 200))
        var limits = RequestLimits.Settings()
        limits.imageWork = 100
        let admission = ImageAdmission(
            ImageAdmission.Limits(workers: 1, memory: 512 << 20, queue: 1),
            requestLimits: RequestLimits(limits)
        )
        let service = fixture.service(admission: admission)
        // The first one is allowed at any cost.
        for _ in 0..<3 { _ = try await service.answer("imageAve", of: origin, from: "10.0.0.1") }
    }

    @Test("samples of an animation count the memory of one frame at a time", arguments: [1, 4])
    func samplesOfAnimation(count: Int) async throws {
        let origin = try await fixture.file(as: ImageHeader(format: .webp, size: ImageSize(1000, 1000), frames: 60))
        let service = fixture.service(admission: ImageAdmission(workers: 1, memory: 64 << 20, queue: 1))
        let samples = try await service.samples(of: origin, atMost: count)
        #expect(samples.frames.count == count)
    }
}
