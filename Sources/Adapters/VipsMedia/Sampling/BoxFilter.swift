/// Replaces each value of a line by the mean of the values in a window around it; at the ends, of those that exist.
struct BoxFilter {
    /// The number of values, at least 1; with an even number, one more of them is behind the value than before it.
    let window: Int

    /// Filters every line of a plane.
    ///
    /// - Parameters:
    ///   - values: The plane row by row.
    ///   - lines: The number of lines.
    ///   - length: The number of values of a line.
    ///   - isRow: Whether lines are rows; otherwise columns.
    /// - Returns: A plane of the same size.
    func applied(to values: [Float], lines: Int, of length: Int, isRow: Bool) -> [Float] {
        [Float](unsafeUninitializedCapacity: values.count) { result, count in
            values.withUnsafeBufferPointer { values in
                for line in 0..<lines {
                    filter(values, result, from: isRow ? line * length : line, by: isRow ? 1 : lines, length)
                }
            }
            count = values.count
        }
    }

    private func filter(
        _ values: UnsafeBufferPointer<Float>,
        _ result: UnsafeMutableBufferPointer<Float>,
        from start: Int,
        by stride: Int,
        _ length: Int
    ) {
        let ahead = window / 2
        let behind = window - 1 - ahead
        var sum: Float = 0
        var count: Float = 0
        for index in 0..<min(ahead, length) {
            sum += values[start + index * stride]
            count += 1
        }
        for index in 0..<length {
            if index + ahead < length {
                sum += values[start + (index + ahead) * stride]
                count += 1
            }
            if index - behind > 0 {
                sum -= values[start + (index - behind - 1) * stride]
                count -= 1
            }
            result[start + index * stride] = sum / count
        }
    }
}
