internal import Domain

/// The pixels of a bitmap: red, green, blue and optionally alpha, one byte each, in rows from the top without padding.
struct BMPImage: Sendable {
    let size: ImageSize
    /// 3, or 4 with alpha, which is not premultiplied.
    let bands: Int
    /// `width` times `height` times ``bands`` bytes.
    let pixels: [UInt8]
}

/// Decodes Windows and OS/2 bitmaps, which libvips reads only with a library that is not fuzzed.
///
/// Its time is proportional to pixels and bytes, and its memory is that of the result. The caller has checked the
/// header's size against its limits.
struct BMPDecoder {
    let header: BMPHeader
    let bytes: UnsafeRawBufferPointer

    /// - Parameters:
    ///   - header: The header of the bitmap.
    ///   - bytes: All bytes of the file from which the header was read.
    init(_ header: BMPHeader, bytes: UnsafeRawBufferPointer) {
        self.header = header
        self.bytes = bytes
    }

    /// Decodes the pixels.
    ///
    /// - Throws: ``BMPError/truncated`` if pixels are missing; they are never filled in.
    func decode() throws(BMPError) -> BMPImage {
        let bands = header.hasAlpha ? 4 : 3
        let (area, overflow) = header.size.width.multipliedReportingOverflow(by: header.size.height)
        let (count, overflows) = area.multipliedReportingOverflow(by: bands)
        guard !overflow, !overflows else { throw .broken("size") }
        let pixels: [UInt8]
        switch header.encoding {
        case .indices(let bits):
            let rows = try rows(bits: bits)
            pixels = made(count) { indexed(rows, bits: bits, into: $0) }
        case .runs(let bits):
            pixels = try runs(bits: bits, count: count)
        case .channels(let channels, let size):
            let rows = try rows(bits: 8 * size)
            if let offsets = channels.byteOffsets {
                pixels = made(count) { reordered(rows, step: size, offsets: offsets, into: $0) }
            } else {
                pixels = made(count) { masked(rows, step: size, scales: channels.scales, into: $0) }
            }
        }
        return BMPImage(size: header.size, bands: bands, pixels: pixels)
    }

    /// The palette, padded with black to 256 colours, so that no index is out of range.
    func colors() -> [UInt8] {
        var colors = [UInt8](repeating: 0, count: 3 * 256)
        guard let palette = header.palette else { return colors }
        for place in 0..<min(palette.count, 256) {
            let entry = palette.offset + place * palette.entrySize
            guard entry <= bytes.count - 3 else { break }
            for channel in 0..<3 { colors[3 * place + channel] = bytes[entry + 2 - channel] }
        }
        return colors
    }

    /// The offset of a row in the result, for a row number in the order of the file.
    func target(ofRow row: Int) -> Int {
        (header.isTopDown ? row : header.size.height - 1 - row) * header.size.width * (header.hasAlpha ? 4 : 3)
    }

    private func made(_ count: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            body(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
            filled = count
        }
    }
}

// MARK: Uncompressed rows

extension BMPDecoder {
    /// The location of the rows in the file.
    ///
    /// Only ``rows(bits:)`` creates it, after checking that all rows are within the bytes; the loops below rely on
    /// that.
    private struct Rows {
        let start: Int
        let stride: Int
    }

    private func rows(bits: Int) throws(BMPError) -> Rows {
        // Rows are padded to 4 bytes; the padding of the last row can be missing. A width has 31 bits.
        let length = (header.size.width * bits + 7) / 8
        let stride = (length + 3) / 4 * 4
        let there = bytes.count - header.pixelOffset
        guard there >= length, (there - length) / stride >= header.size.height - 1 else { throw .truncated }
        return Rows(start: header.pixelOffset, stride: stride)
    }

    private func indexed(_ rows: Rows, bits: Int, into result: UnsafeMutableBufferPointer<UInt8>) {
        let colors = colors()
        let mask = UInt8(truncatingIfNeeded: 1 << bits - 1)
        for row in 0..<header.size.height {
            let start = rows.start + row * rows.stride
            var target = target(ofRow: row)
            for column in 0..<header.size.width {
                let place = column * bits
                let index = bytes[start + place >> 3] >> UInt8(8 - bits - place & 7) & mask
                let color = 3 * Int(index)
                result[target] = colors[color]
                result[target + 1] = colors[color + 1]
                result[target + 2] = colors[color + 2]
                target += 3
            }
        }
    }

    private func reordered(_ rows: Rows, step: Int, offsets: [Int], into result: UnsafeMutableBufferPointer<UInt8>) {
        for row in 0..<header.size.height {
            for (channel, offset) in offsets.enumerated() {
                var source = rows.start + row * rows.stride + offset
                var target = target(ofRow: row) + channel
                for _ in 0..<header.size.width {
                    result[target] = bytes[source]
                    source += step
                    target += offsets.count
                }
            }
        }
    }

    private func masked(
        _ rows: Rows,
        step: Int,
        scales: [BMPChannels.Scale],
        into result: UnsafeMutableBufferPointer<UInt8>
    ) {
        for row in 0..<header.size.height {
            var source = rows.start + row * rows.stride
            var target = target(ofRow: row)
            for _ in 0..<header.size.width {
                var pixel: UInt32 = 0
                for place in 0..<step { pixel |= UInt32(bytes[source + place]) << UInt32(8 * place) }
                for scale in scales {
                    result[target] = scale.value(of: pixel)
                    target += 1
                }
                source += step
            }
        }
    }
}
