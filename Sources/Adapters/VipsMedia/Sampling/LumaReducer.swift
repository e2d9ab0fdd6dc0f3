internal import Domain

/// Reduces an image, row by row, to a plane of luminance of at most 576 pixels a side, as the first step of a
/// ``PerceptualHash``.
///
/// The published program takes single pixels of large images, 512 a side; this takes the mean of all pixels, so that
/// fine textures and noise change fewer bits. With 512, the box filters have an even number of pixels and move the
/// image by 1.5 of them, which changes up to 30 bits against the hash of all pixels. With 9 pixels for each of the 64 of
/// the hash they have an odd number, and up to 4 bits change (15 photographs).
struct LumaReducer {
    /// The largest width and height of the plane.
    static let side = 9 * PDQ.side

    /// The width and height of the plane; each has its own ratio to the source.
    let size: ImageSize
    private let source: ImageSize
    /// How many columns of the source are a column of the plane.
    private let widths: [Int]
    /// Three sums for each column of the plane: red, green and blue of the rows since the last finished one.
    private var sums: [UInt32]
    private var rows: UInt32 = 0
    private var values: [Float] = []

    /// - Parameter source: The size of the source.
    init(of source: ImageSize) {
        self.source = source
        let size = ImageSize(width: min(source.width, Self.side), height: min(source.height, Self.side))
        self.size = size
        widths = (0..<size.width).map {
            ($0 + 1) * source.width / size.width - $0 * source.width / size.width
        }
        sums = [UInt32](repeating: 0, count: 3 * size.width)
        values.reserveCapacity(size.area)
    }

    /// Adds a row; must be called once for each row, from the top.
    ///
    /// - Parameters:
    ///   - pixels: Red, green and blue of the row's pixels.
    ///   - y: The index of the row.
    mutating func add(_ pixels: UnsafePointer<UInt8>, at y: Int) {
        sums.withUnsafeMutableBufferPointer { sums in
            var source = pixels
            for (column, width) in widths.enumerated() {
                var (red, green, blue): (UInt32, UInt32, UInt32) = (0, 0, 0)
                for _ in 0..<width {
                    red &+= UInt32(source[0])
                    green &+= UInt32(source[1])
                    blue &+= UInt32(source[2])
                    source += 3
                }
                sums[3 * column] &+= red
                sums[3 * column + 1] &+= green
                sums[3 * column + 2] &+= blue
            }
        }
        rows += 1
        if y + 1 == (values.count / size.width + 1) * source.height / size.height { finishRow() }
    }

    /// The plane; complete after the last row.
    var plane: LumaPlane { LumaPlane(size: size, values: values) }

    private mutating func finishRow() {
        for (column, width) in widths.enumerated() {
            let luma =
                0.299 * Float(sums[3 * column]) + 0.587 * Float(sums[3 * column + 1])
                + 0.114 * Float(sums[3 * column + 2])
            values.append(luma / Float(rows * UInt32(width)))
        }
        for index in sums.indices { sums[index] = 0 }
        rows = 0
    }
}

/// A plane of luminance, 0 to 255, row by row.
struct LumaPlane {
    var size: ImageSize
    var values: [Float]
}
