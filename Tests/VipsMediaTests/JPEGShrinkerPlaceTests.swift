import CTurboJPEG
import Domain
import Testing

@testable import VipsMedia

/// Where the pixels of smaller JPEGs lie: a fault of part of a pixel shows in ramps.
@Suite struct JPEGShrinkerPlaceTests {
    private let source = ImageSize(width: 1003, height: 749)

    /// Red to the right and green down, by one in four pixels.
    private var ramps: [UInt8] {
        var pixels = [UInt8](repeating: 128, count: 3 * source.area)
        for y in 0..<source.height {
            for x in 0..<source.width {
                pixels[3 * (y * source.width + x)] = UInt8(x / 4)
                pixels[3 * (y * source.width + x) + 1] = UInt8(y / 4)
            }
        }
        return pixels
    }

    @Test("pixels of odd sizes lie where they belong", arguments: TurboSample.subsamplings.indices.dropLast())
    func places(index: Int) throws {
        let file = try TurboSample.encoded(ramps, source, TurboSample.subsamplings[index])
        for (width, height) in [(700, 523), (299, 224), (201, 149), (100, 75), (57, 43)] {
            let size = ImageSize(width: width, height: height)
            let pixels = try #require(TurboSample.shrink(file, of: source, to: size))
            let expected = (0..<size.area).flatMap { place -> [UInt8] in
                let x = (Double(place % width) + 0.5) * 1003 / Double(width) / 4 - 0.5
                let y = (Double(place / width) + 0.5) * 749 / Double(height) / 4 - 0.5
                return [UInt8(max(0, x.rounded())), UInt8(max(0, y.rounded())), 128]
            }
            let difference = TurboSample.meanDifference(pixels, expected)
            #expect(difference < 0.7, "\(size): \(difference)")
        }
    }

    /// At 1/8, 3/8 and whole, of which the first two do not divide the source's sides.
    @Test("right and bottom edges lie where they belong", arguments: [57, 201, 700])
    func edges(width: Int) throws {
        let size = ImageSize(width: width, height: width * 3 / 4)
        let file = try TurboSample.encoded(ramps, source)
        let pixels = try #require(TurboSample.shrink(file, of: source, to: size))
        // Towards the edges, but without what Lanczos makes of the edges themselves; differences with their sign.
        let columns = size.width * 4 / 5..<size.width * 19 / 20
        let right = columns.map { x in
            let expected = (Double(x) + 0.5) * 1003 / Double(size.width) / 4 - 0.5
            return (0..<size.height).reduce(0) { $0 + Double(pixels[3 * ($1 * size.width + x)]) - expected }
        }
        #expect(abs(right.reduce(0, +)) < 0.25 * Double(columns.count * size.height))
        let rows = size.height * 4 / 5..<size.height * 19 / 20
        let bottom = rows.map { y in
            let expected = (Double(y) + 0.5) * 749 / Double(size.height) / 4 - 0.5
            return (0..<size.width).reduce(0) { $0 + Double(pixels[3 * (y * size.width + $1) + 1]) - expected }
        }
        #expect(abs(bottom.reduce(0, +)) < 0.25 * Double(rows.count * size.width))
    }

    /// Half a pixel of 3/8 is 1.3 of the source's, by which blue changes by 2.
    ///
    /// What rounding adds is the same in a ramp that rises and in one that falls.
    @Test("samples of colour lie in the middle of their pixels", arguments: [TJSAMP_422, TJSAMP_420, TJSAMP_440])
    func siting(subsampling: TJSAMP) throws {
        for isDown in [false, true] {
            let rising = try blueOfRamp(subsampling, isDown: isDown) { 60 + $0 * 136 / 160 }
            let falling = try blueOfRamp(subsampling, isDown: isDown) { 196 - $0 * 136 / 160 }
            #expect(abs(rising - falling) / 2 < 0.6, "down: \(isDown), \(rising), \(falling)")
        }
    }

    /// How much bluer the middle of a ramp is than it should be, shrunk to a quarter.
    private func blueOfRamp(_ subsampling: TJSAMP, isDown: Bool, _ color: (Double) -> Double) throws -> Double {
        let (source, size) = (ImageSize(width: 160, height: 160), ImageSize(width: 40, height: 40))
        let ramp = (0..<source.area).flatMap { place -> [UInt8] in
            let color = color(Double(isDown ? place / source.width : place % source.width)) - 128
            return [128, UInt8((128 - 0.344 * color).rounded()), UInt8((128 + 1.772 * color).rounded())]
        }
        let pixels = try #require(
            TurboSample.shrink(TurboSample.encoded(ramp, source, subsampling), of: source, to: size)
        )
        let middle = 5..<35
        let differences = middle.flatMap { y in
            middle.map { x in
                let expected = 128 + 1.772 * (color((Double(isDown ? y : x) + 0.5) * 4 - 0.5) - 128)
                return Double(pixels[3 * (y * size.width + x) + 2]) - expected
            }
        }
        return differences.reduce(0, +) / Double(differences.count)
    }
}
