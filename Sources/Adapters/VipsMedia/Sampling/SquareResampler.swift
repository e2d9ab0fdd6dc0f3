internal import Domain

/// Distorts an image to a square and crops that to the pixels of an ``ImageSample``, row by row.
///
/// Memory does not grow with the image: each row of the source is resampled along its width and then added to the rows
/// of the result that it is a part of.
struct SquareResampler {
    /// The side of the square before the crop.
    private static let square = 256
    private static let part = (square - ImageSample.side) / 2..<(square + ImageSample.side) / 2

    private let across: TriangleFilter
    private let down: TriangleFilter
    /// One row of the source at the width of the result.
    private var row = [UInt8](repeating: 0, count: 3 * ImageSample.side)
    /// The sums of weighted bytes of the rows of the result.
    private var sums = [Int32](repeating: 0, count: ImageSample.pixelCount)
    /// The first row of the result to which later rows can contribute.
    private var firstOpen = 0

    /// - Parameter size: The size of the source.
    init(of size: ImageSize) {
        across = TriangleFilter(from: size.width, to: Self.square, part: Self.part)
        down = TriangleFilter(from: size.height, to: Self.square, part: Self.part)
    }

    /// Adds a row; must be called once for each row, from the top.
    ///
    /// - Parameters:
    ///   - pixels: Red, green and blue of the row's pixels.
    ///   - y: The index of the row.
    mutating func add(_ pixels: UnsafePointer<UInt8>, at y: Int) {
        while firstOpen < down.taps.count, down.taps[firstOpen].end <= y { firstOpen += 1 }
        guard firstOpen < down.taps.count, down.taps[firstOpen].first <= y else { return }
        shorten(pixels)
        row.withUnsafeBufferPointer { row in
            sums.withUnsafeMutableBufferPointer { sums in
                var index = firstOpen
                while index < down.taps.count, down.taps[index].first <= y {
                    let taps = down.taps[index]
                    let weight = down.weights[taps.weights + y - taps.first]
                    let start = index * row.count
                    for offset in 0..<row.count { sums[start + offset] &+= weight &* Int32(row[offset]) }
                    index += 1
                }
            }
        }
    }

    /// The pixels of the result; complete after the last row.
    var pixels: [UInt8] { sums.map(TriangleFilter.value) }

    /// Resamples a row along its width.
    private mutating func shorten(_ pixels: UnsafePointer<UInt8>) {
        row.withUnsafeMutableBufferPointer { row in
            across.weights.withUnsafeBufferPointer { weights in
                for (index, taps) in across.taps.enumerated() {
                    var (red, green, blue): (Int32, Int32, Int32) = (0, 0, 0)
                    var source = pixels + 3 * taps.first
                    for place in taps.weights..<taps.weights + taps.count {
                        let weight = weights[place]
                        red &+= weight &* Int32(source[0])
                        green &+= weight &* Int32(source[1])
                        blue &+= weight &* Int32(source[2])
                        source += 3
                    }
                    row[3 * index] = TriangleFilter.value(of: red)
                    row[3 * index + 1] = TriangleFilter.value(of: green)
                    row[3 * index + 2] = TriangleFilter.value(of: blue)
                }
            }
        }
    }
}
