internal import Domain

/// Makes rows of values upright, as an EXIF orientation says.
struct Orientation {
    /// 1 to 8; other values change nothing.
    let value: Int

    /// Whether width and height are exchanged.
    private var isTurned: Bool { (5...8).contains(value) }

    /// The upright values.
    ///
    /// - Parameters:
    ///   - values: The values as stored, row by row.
    ///   - size: The width and height as stored.
    ///   - bands: The number of values of a pixel.
    /// - Returns: The values in their new order, and the upright size.
    func applied<Value>(to values: [Value], size: ImageSize, bands: Int) -> (values: [Value], size: ImageSize) {
        guard (2...8).contains(value) else { return (values, size) }
        let upright = isTurned ? size.turned : size
        var result: [Value] = []
        result.reserveCapacity(values.count)
        for y in 0..<upright.height {
            for x in 0..<upright.width {
                let start = bands * index(x, y, in: size)
                result += values[start..<start + bands]
            }
        }
        return (result, upright)
    }

    /// The index of the stored pixel that is shown at a place.
    private func index(_ x: Int, _ y: Int, in size: ImageSize) -> Int {
        let (right, bottom) = (size.width - 1, size.height - 1)
        let (column, row) =
            switch value {
            case 2: (right - x, y)
            case 3: (right - x, bottom - y)
            case 4: (x, bottom - y)
            case 5: (y, x)
            case 6: (y, bottom - x)
            case 7: (right - y, bottom - x)
            case 8: (right - y, x)
            default: (x, y)
            }
        return row * size.width + column
    }
}
