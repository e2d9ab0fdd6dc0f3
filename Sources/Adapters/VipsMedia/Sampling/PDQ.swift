internal import Domain
internal import Glibc

/// Computes the perceptual hash PDQ of a plane of luminance.
///
/// Source: "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing Algorithm" (Meta, 2019), section 3, and the
/// constants of its reference implementation, with which lists of known images are made.
enum PDQ {
    /// The side of the plane from which frequencies are computed.
    static let side = 64
    /// The number of frequencies along each side; with the constant one omitted.
    private static let frequencies = 16
    /// Smaller images have no hash.
    private static let leastSide = 5

    /// The hash; with quality 0 for images of less than five pixels a side.
    static func hash(of plane: LumaPlane) -> PerceptualHash {
        guard min(plane.size.width, plane.size.height) >= leastSide else {
            return PerceptualHash(words: .zero, quality: 0)
        }
        let small = reduced(plane)
        let spectrum = spectrum(of: small)
        let median = spectrum.sorted()[spectrum.count / 2 - 1]
        var words = SIMD4<UInt64>.zero
        // The first frequency is the last bit of the last word.
        for (index, value) in spectrum.enumerated() where value > median {
            words[3 - index / 64] |= 1 << UInt64(index % 64)
        }
        return PerceptualHash(words: words, quality: quality(of: small))
    }

    /// The plane of 64 x 64 pixels, blurred by two passes of box filters (Jarosz's approximation of a tent) and
    /// decimated.
    private static func reduced(_ plane: LumaPlane) -> [Float] {
        let (width, height) = (plane.size.width, plane.size.height)
        guard width != side || height != side else { return plane.values }
        var blurred = plane.values
        for _ in 0..<2 {
            blurred = BoxFilter(window: window(width)).applied(to: blurred, lines: height, of: width, isRow: true)
            blurred = BoxFilter(window: window(height)).applied(to: blurred, lines: width, of: height, isRow: false)
        }
        return (0..<side * side).map { index in
            let row = (2 * (index / side) + 1) * height / (2 * side)
            let column = (2 * (index % side) + 1) * width / (2 * side)
            return blurred[row * width + column]
        }
    }

    /// The window of one pass: half the source pixels of a pixel of the result, rounded up.
    private static func window(_ length: Int) -> Int { (length + 2 * side - 1) / (2 * side) }

    /// The lowest frequencies in both directions, without the constant ones: a discrete cosine transform.
    private static func spectrum(of small: [Float]) -> [Float] {
        // Along the columns, then along the rows.
        var half = [Float](repeating: 0, count: frequencies * side)
        for row in 0..<frequencies {
            for column in 0..<side {
                var sum: Float = 0
                for k in 0..<side { sum += cosines[row * side + k] * small[k * side + column] }
                half[row * side + column] = sum
            }
        }
        var spectrum = [Float](repeating: 0, count: frequencies * frequencies)
        for row in 0..<frequencies {
            for column in 0..<frequencies {
                var sum: Float = 0
                for k in 0..<side { sum += half[row * side + k] * cosines[column * side + k] }
                spectrum[row * frequencies + column] = sum
            }
        }
        return spectrum
    }

    /// Row by row the cosines of the frequencies 1 to 16.
    private static let cosines: [Float] = (0..<frequencies * side).map { index in
        let angle = Double.pi / Double(2 * side) * Double((index / side + 1) * (2 * (index % side) + 1))
        return Float((2 / Double(side)).squareRoot() * cos(angle))
    }

    /// How much structure the plane has, 0 to 100: the sum of the differences of neighbours that are large enough.
    private static func quality(of small: [Float]) -> Int {
        var sum = 0
        for row in 0..<side {
            for column in 0..<side {
                let value = small[row * side + column]
                if row + 1 < side { sum += step(value, small[(row + 1) * side + column]) }
                if column + 1 < side { sum += step(value, small[row * side + column + 1]) }
            }
        }
        return min(100, sum / 90)
    }

    /// The difference of two neighbours in per cent, rounded down, so that noise does not count.
    private static func step(_ one: Float, _ other: Float) -> Int { abs(Int((one - other) * 100 / 255)) }
}
