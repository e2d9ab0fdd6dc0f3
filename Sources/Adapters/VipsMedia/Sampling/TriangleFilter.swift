/// The weights of linear resampling along one side of an image, in fixed point.
///
/// A pixel of the result is the mean of the source's pixels around its centre, weighted by a triangle that reaches to
/// the centres of its neighbours (of at least one source pixel). That is the filter `BILINEAR` of Pillow, with which
/// the classifier's reference resizes; weights and rounding are the same, so the pixels are too.
struct TriangleFilter {
    /// The source pixels that a pixel of the result consists of.
    struct Taps {
        /// The first source pixel.
        let first: Int
        /// The index of its weight in ``TriangleFilter/weights``.
        let weights: Int
        let count: Int

        var end: Int { first + count }
    }

    /// The weights of all pixels of the result, each multiplied by 2^``bits``.
    private(set) var weights: [Int32] = []
    /// The taps of the pixels of the result, in ascending order of their first and last pixels.
    private(set) var taps: [Taps] = []

    /// Leaves the headroom for sums of a byte times all weights in 32 bits.
    static let bits: Int32 = 22

    /// - Parameters:
    ///   - source: The number of pixels of the source.
    ///   - count: The number of pixels to which they are resampled.
    ///   - part: The pixels of the result that are needed.
    init(from source: Int, to count: Int, part: Range<Int>) {
        let scale = Double(source) / Double(count)
        let reach = max(scale, 1)
        for index in part {
            let center = (Double(index) + 0.5) * scale
            let first = max(0, Int(center - reach + 0.5))
            let end = min(source, Int(center + reach + 0.5))
            let shares = (first..<end).map { max(0, 1 - abs((Double($0) + 0.5 - center) / reach)) }
            let sum = shares.reduce(0, +)
            taps.append(Taps(first: first, weights: weights.count, count: shares.count))
            weights += shares.map { Int32($0 / sum * Double(1 << Self.bits) + 0.5) }
        }
    }

    /// The pixel value of a sum of weighted bytes.
    static func value(of sum: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, (sum &+ 1 << (bits - 1)) >> bits)))
    }
}
