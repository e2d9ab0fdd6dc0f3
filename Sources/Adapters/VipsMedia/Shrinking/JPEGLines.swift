internal import CJPEG
internal import Domain

/// The lines of a JPEG, decoded on demand: four bytes for each pixel (red, green, blue and an unused byte), or one if
/// it is grey.
///
/// For one thread. Only one line is in memory, so lines must be requested from top to bottom.
final class JPEGLines {
    let size: ImageSize
    private let lines: UnsafeMutablePointer<cjpeg_lines>
    private let memory: AlignedMemory

    /// Whether a file has a valid header, one scan and Huffman codes.
    static func canRead(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let lines = open(bytes) else { return false }
        cjpeg_close(lines)
        return true
    }

    /// Starts decoding; `nil` for damaged and unsupported files.
    ///
    /// - Parameters:
    ///   - bytes: The whole file, which must stay valid while this object is used.
    ///   - eighths: The scale of decoding in eighths, 1 to 8.
    ///   - size: The size at that scale.
    ///   - isGrey: Whether the image is grey.
    init?(_ bytes: UnsafeRawBufferPointer, at eighths: Int, of size: ImageSize, isGrey: Bool) {
        guard let lines = JPEGLines.open(bytes) else { return nil }
        guard cjpeg_start(lines, CUnsignedInt(eighths), isGrey ? 1 : 0) != 0,
            Int(lines.pointee.decoder.output_width) == size.width,
            Int(lines.pointee.decoder.output_height) == size.height,
            let memory = AlignedMemory(count: 4 * size.width)
        else {
            cjpeg_close(lines)
            return nil
        }
        self.lines = lines
        self.memory = memory
        self.size = size
    }

    deinit {
        cjpeg_close(lines)
    }

    /// The address of a line, valid until the next call; `nil` on errors, and for earlier lines.
    func line(_ row: Int) -> UnsafeRawPointer? {
        guard row >= next - 1, row < size.height, let start = memory.bytes.baseAddress else { return nil }
        while next <= row {
            guard cjpeg_read(lines, start) != 0 else { return nil }
        }
        return UnsafeRawPointer(start)
    }

    /// Decodes the remaining lines and discards them; returns whether the file ends correctly.
    func finish() -> Bool {
        line(size.height - 1) != nil && cjpeg_finish(lines) != 0
    }

    private static func open(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<cjpeg_lines>? {
        bytes.bindMemory(to: UInt8.self).baseAddress.flatMap { cjpeg_open($0, bytes.count) }
    }

    /// The first line that is not decoded.
    private var next: Int { Int(lines.pointee.decoder.output_scanline) }
}
