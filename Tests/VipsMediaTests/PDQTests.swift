import Domain
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// Perceptual hashes find slightly changed copies, and no other images.
@Suite struct PDQTests {
    /// The largest distance at which two images count as the same (the paper's recommendation).
    private let sameImage = 31

    private func hash(_ bytes: ByteBuffer) async throws -> PerceptualHash {
        try #require(try await SamplingTests.samples(of: bytes).first).hash
    }

    @Test("hashes of photographs are those of the reference program", arguments: Photograph.all)
    func reference(photograph: Photograph) async throws {
        let bytes = try photograph.bytes()
        let computed = try await hash(bytes)
        let reference = try #require(PerceptualHash(photograph.hash))
        #expect(computed.distance(to: reference) <= 10)
        #expect(computed.quality == 100)
    }

    @Test(
        "a changed copy has nearly the same hash",
        arguments: [
            "imageMogr2/thumbnail/!50p", "imageMogr2/thumbnail/!25p", "imageMogr2/format/jpg/quality/40",
            "imageMogr2/format/webp", "imageMogr2/format/webp/quality/40", "imageMogr2/format/png",
            "imageMogr2/gravity/Center/crop/!98px98p", "imageMogr2/thumbnail/!50p/format/jpg/quality/40",
            "imageMogr2/thumbnail/300x300!", "imageMogr2/blur/3x1",
        ]
    )
    func copies(chain: String) async throws {
        for source in [try Samples.rocket(), try Photograph.all[0].bytes()] {
            let header = try await Rendering().open(source).header
            let side = (width: header.size.width * 98 / 100, height: header.size.height * 98 / 100)
            let chain = chain.split(separator: "!98px98p", omittingEmptySubsequences: false)
                .joined(separator: "\(side.width)x\(side.height)")
            let copy = try await Rendering().render(chain, source).bytes
            let distance = try await hash(source).distance(to: hash(copy))
            #expect(distance <= sameImage)
        }
    }

    @Test("different photographs have different hashes")
    func differentImages() async throws {
        var hashes = [try await hash(Samples.rocket())]
        for photograph in Photograph.all { hashes.append(try #require(PerceptualHash(photograph.hash))) }
        for (index, one) in hashes.enumerated() {
            for other in hashes[..<index] { #expect(one.distance(to: other) > 60) }
        }
    }

    @Test(
        "images without structure have a quality at which hashes are not compared",
        arguments: [[0, 0, 0], [200, 90, 7]] as [[UInt8]]
    )
    func flat(color: [UInt8]) async throws {
        let size = ImageSize(width: 300, height: 200)
        let hash = try await hash(ImageSample.encoded(ImageSample.plain(color, size), size, as: "format/png"))
        #expect(hash.quality < PerceptualHash.usefulQuality)
    }

    @Test("a plane of 64 x 64 values is hashed as it is: its lowest frequencies against their median")
    func frequencies() {
        // One full wave across: only the second frequency of a row is large, in the first row of none.
        let size = ImageSize(width: 64, height: 64)
        let values = (0..<64 * 64).map { Float($0 % 64 < 32 ? 0 : 255) }
        let hash = PDQ.hash(of: LumaPlane(size: size, values: values))
        #expect(hash.quality == 0 + min(100, 64 * 100 / 90))
    }

    @Test("a box filter takes the mean of the values that exist")
    func box() {
        let filtered = BoxFilter(window: 3).applied(to: [3, 6, 9, 30], lines: 1, of: 4, isRow: true)
        #expect(filtered == [4.5, 6, 15, 19.5])
        // Columns of two: with an even window, one more value behind.
        let columns = BoxFilter(window: 2).applied(to: [2, 10, 4, 30, 6, 50], lines: 2, of: 3, isRow: false)
        #expect(columns == [3, 20, 5, 40, 6, 50])
    }

    @Test("luminance is the mean of each cell", arguments: [(1024, 3), (577, 700), (5, 2000)])
    func luma(width: Int, height: Int) {
        var reducer = LumaReducer(of: ImageSize(width: width, height: height))
        let row = [UInt8](repeating: 100, count: 3 * width)
        for y in 0..<height { row.withUnsafeBufferPointer { reducer.add($0.baseAddress!, at: y) } }
        let plane = reducer.plane
        #expect(plane.size == ImageSize(width: min(width, LumaReducer.side), height: min(height, LumaReducer.side)))
        #expect(plane.values.count == plane.size.area)
        #expect(plane.values.allSatisfy { abs($0 - 100) < 0.01 })
    }
}
