import Support
import Testing

@testable import Domain

private let photo = ImageSize(width: 800, height: 600)

/// What `thumbnail` makes of an image (docs/image-options.md, section 3), and boxes meet it (section 2).
@Suite struct ThumbnailGeometryTests {
    @Test(
        "each form makes the size in the table",
        arguments: [
            (.percent(width: 50, height: 50), 400, 300), (.percent(width: 50, height: nil), 400, 600),
            (.percent(width: nil, height: 50), 800, 300), (.fit(width: 200, height: nil), 200, 150),
            (.fit(width: nil, height: 150), 200, 150), (.fit(width: 400, height: 400), 400, 300),
            (.fit(width: 1600, height: 1600), 1600, 1200), (.cover(width: 400, height: 400), 533, 400),
            (.cover(width: 1600, height: 1600), 2133, 1600), (.exact(width: 400, height: 400), 400, 400),
            (.shrink(width: 400, height: 400), 400, 300), (.shrink(width: 1600, height: 1600), 800, 600),
            (.shrink(width: 400, height: nil), 400, 300), (.shrink(width: nil, height: 900), 800, 600),
            (.enlarge(width: 1600, height: 1600), 1600, 1200), (.enlarge(width: 900, height: 600), 800, 600),
            (.enlarge(width: 400, height: 400), 800, 600), (.enlarge(width: 1600, height: nil), 1600, 1200),
            (.area(250_000), 577, 433), (.area(1_920_000), 1600, 1200), (.area(480_000), 800, 600),
        ] as [(ThumbnailGeometry, Int, Int)]
    )
    func table(scaling: ThumbnailGeometry, width: Int, height: Int) {
        #expect(scaling.size(of: photo) == ImageSize(width: width, height: height))
    }

    @Test(
        "beyond a limit, sizes only shrink",
        arguments: [
            (.fit(width: 10_000, height: nil), 10_000, 7500), (.fit(width: 10_001, height: nil), 800, 600),
            (.fit(width: 10_001, height: 300), 400, 300), (.cover(width: 10_001, height: 1), 800, 600),
            (.area(25_000_001), 800, 600),
        ] as [(ThumbnailGeometry, Int, Int)]
    )
    func beyond(scaling: ThumbnailGeometry, width: Int, height: Int) {
        #expect(scaling.size(of: photo) == ImageSize(width: width, height: height))
    }

    @Test(
        "a side has at least one pixel",
        arguments: [
            ThumbnailGeometry.percent(width: 0.0001, height: 0.0001), .fit(width: 1, height: nil),
            .shrink(width: 1, height: 1),
            .area(1),
        ]
    )
    func onePixel(scaling: ThumbnailGeometry) {
        let size = scaling.size(of: ImageSize(width: 30_000, height: 2))
        #expect(size.height == 1)
        #expect(size.width >= 1)
    }

    @Test(
        "boxes of imageView2 are met as in the table",
        arguments: [
            (800, 600, 133, 100, 200, 150), (600, 800, 75, 100, 200, 267), (120, 60, 120, 60, 120, 60),
        ]
    )
    func boxes(width: Int, height: Int, insideWidth: Int, insideHeight: Int, aroundWidth: Int, aroundHeight: Int) {
        let size = ImageSize(width: width, height: height)
        let inside = size.fitted(width: 200, height: 100, enlarging: false)
        #expect(inside == ImageSize(width: insideWidth, height: insideHeight))
        let around = size.covering(width: 200, height: 100, enlarging: false)
        #expect(around == ImageSize(width: aroundWidth, height: aroundHeight))
    }

    private func forRandomSizes(_ check: (_ size: ImageSize, _ width: Int, _ height: Int) throws -> Void) rethrows {
        var generator = SeededGenerator(seed: 5)
        // Short sides are where rounding goes wrong.
        func side() -> Int {
            let most = [3, 40, 1000, 30_000][Int.random(in: 0..<4, using: &generator)]
            return Int.random(in: 1...most, using: &generator)
        }
        for _ in 0..<5000 {
            try check(ImageSize(width: side(), height: side()), min(side(), 10_000), min(side(), 10_000))
        }
    }

    @Test("what is fitted never exceeds the box and meets it exactly")
    func fitted() {
        forRandomSizes { size, width, height in
            let result = ThumbnailGeometry.fit(width: width, height: height).size(of: size)
            #expect(result.width <= width && result.height <= height, "\(size) in \(width)x\(height)")
            #expect(result.width == width || result.height == height, "\(size) in \(width)x\(height)")
        }
    }

    @Test("what covers never leaves a gap and meets the box exactly")
    func covering() {
        forRandomSizes { size, width, height in
            let result = ThumbnailGeometry.cover(width: width, height: height).size(of: size)
            #expect(result.width >= width && result.height >= height, "\(size) around \(width)x\(height)")
            #expect(result.width == width || result.height == height, "\(size) around \(width)x\(height)")
        }
    }

    @Test("what only shrinks is never larger, what only enlarges never smaller")
    func oneWay() {
        forRandomSizes { size, width, height in
            let smaller = ThumbnailGeometry.shrink(width: width, height: height).size(of: size)
            #expect(smaller.width <= size.width && smaller.height <= size.height, "\(size) in \(width)x\(height)")
            let uncut = size.covering(width: width, height: height, enlarging: false)
            #expect(uncut.width <= size.width && uncut.height <= size.height, "\(size) around \(width)x\(height)")
            let larger = ThumbnailGeometry.enlarge(width: width, height: height).size(of: size)
            #expect(larger.width >= size.width && larger.height >= size.height, "\(size) in \(width)x\(height)")
        }
    }

    @Test("an area is never exceeded, but by a side of one pixel")
    func area() {
        forRandomSizes { size, width, height in
            let area = min(width * height, ThumbnailGeometry.largestArea)
            let result = ThumbnailGeometry.area(area).size(of: size)
            #expect(result.area <= area || min(result.width, result.height) == 1, "\(size) with \(area) pixels")
        }
    }

    @Test("the shape stays, to half a pixel")
    func shape() {
        forRandomSizes { size, width, _ in
            let result = ThumbnailGeometry.fit(width: width, height: nil).size(of: size)
            let exact = Double(width) * Double(size.height) / Double(size.width)
            #expect(abs(Double(result.height) - max(1, exact)) <= 0.5 + 1e-6, "\(size) to \(width)")
        }
    }
}
