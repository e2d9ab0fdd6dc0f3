internal import Domain

extension BMPDecoder {
    /// Decodes `BI_RLE4` and `BI_RLE8`.
    ///
    /// Pixels outside all runs have the palette's first colour, as in other decoders; runs are clipped at the end of a
    /// row. Each pixel is written at most once, because runs only go forward.
    ///
    /// - Throws: ``BMPError/truncated`` if the bytes end before the end code, unless the last row is complete.
    func runs(bits: Int, count: Int) throws(BMPError) -> [UInt8] {
        let colors = colors()
        var isWhole = false
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            for pixel in stride(from: 0, to: count, by: 3) {
                for channel in 0..<3 { buffer[pixel + channel] = colors[channel] }
            }
            filled = count
            var painter = RunPainter(size: header.size, cursor: ByteCursor(bytes, at: header.pixelOffset), bits: bits)
            isWhole = painter.paint { column, row, index in
                let target = target(ofRow: row) + 3 * column
                for channel in 0..<3 { buffer[target + channel] = colors[3 * index + channel] }
            }
        }
        guard isWhole else { throw .truncated }
        return pixels
    }
}

/// Interprets the codes of a compressed bitmap: pairs of bytes, the first one a length, or 0 for an escape.
private struct RunPainter {
    let size: ImageSize
    var cursor: ByteCursor
    /// The bits of an index: 4 or 8.
    let bits: Int
    private var column = 0
    private var row = 0

    init(size: ImageSize, cursor: ByteCursor, bits: Int) {
        self.size = size
        self.cursor = cursor
        self.bits = bits
    }

    private var isFull: Bool { row >= size.height || (row == size.height - 1 && column >= size.width) }

    /// Calls the closure with column, row (both inside the image) and index of each pixel; returns whether the bitmap
    /// is complete.
    mutating func paint(_ pixel: (Int, Int, Int) -> Void) -> Bool {
        while !isFull {
            guard let first = cursor.next(), let second = cursor.next() else { return false }
            switch (first, second) {
            case (0, 0):
                column = 0
                row += 1
            case (0, 1):
                return true
            case (0, 2):
                guard let right = cursor.next(), let down = cursor.next() else { return false }
                column += Int(right)
                row += Int(down)
            case (0, _):
                guard paintIndices(Int(second), pixel) else { return false }
            default:
                let (even, odd) = bits == 4 ? (second >> 4, second & 0x0f) : (second, second)
                for place in 0..<min(Int(first), max(0, size.width - column)) {
                    pixel(column + place, row, Int(place & 1 == 0 ? even : odd))
                }
                column += Int(first)
            }
        }
        return true
    }

    /// Writes uncompressed indices, padded to 16 bits.
    private mutating func paintIndices(_ count: Int, _ pixel: (Int, Int, Int) -> Void) -> Bool {
        let length = (count * bits + 7) / 8
        guard cursor.count - cursor.position >= length else { return false }
        for place in 0..<min(count, max(0, size.width - column)) {
            let byte = cursor.bytes[cursor.position + place * bits / 8]
            pixel(column + place, row, Int(bits == 8 ? byte : place & 1 == 0 ? byte >> 4 : byte & 0x0f))
        }
        column += count
        cursor.position += length + length & 1
        return true
    }
}
