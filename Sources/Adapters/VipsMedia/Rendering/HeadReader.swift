internal import Domain

/// Reads an image's header from its first bytes.
struct HeadReader {
    /// The first bytes, at least ``SourceSniffer/headLength`` unless the image is shorter.
    let bytes: UnsafeRawBufferPointer
    /// The size of the whole image in bytes.
    let count: Int
    let watch: JobWatch

    /// The whole header, if no reader requested later bytes.
    ///
    /// - Throws: ``ServiceError/Code/notAnImage`` if the first bytes are sufficient to detect that.
    func read() throws -> HeadReading {
        guard let format = SourceSniffer.format(of: bytes) else {
            throw ServiceError.notAnImage(VipsError(operation: "sniff", detail: ""))
        }
        // Formats whose readers tolerate missing bytes: libheif ends the process if expected bytes are missing.
        guard [.jpeg, .png, .webp, .bmp].contains(format) else { return .partial(nil) }
        let end = HeadEnd()
        do {
            let source = SourceBytes.head(bytes, count: count, end: end)
            let header = try HeaderReader(bytes: source, watch: watch).read(format)
            guard end.isPassed else { return .whole(header) }
            // For a JPEG, only the number of scans requires all bytes.
            return .partial(format == .jpeg ? header.size : size(format))
        } catch {
            guard end.isPassed else { throw error }
            try watch.check()
            return .partial(size(format))
        }
    }

    /// The size, for formats with a size at a fixed offset, so that no decoder can find another one.
    private func size(_ format: SourceFormat) -> ImageSize? {
        switch format {
        // IHDR is the first chunk (PNG 11.2.1).
        case .png where chunk(at: 12, is: "IHDR"):
            number([16, 17, 18, 19]).flatMap { width in number([20, 21, 22, 23]).map { size(width, $0) } }
        // The canvas of the extended format (RFC 9649, section 2.7).
        case .webp where chunk(at: 12, is: "VP8X"):
            number([26, 25, 24]).flatMap { width in number([29, 28, 27]).map { size(width + 1, $0 + 1) } }
        // The key frame's head (RFC 6386, section 9.1), 14 bits each.
        case .webp where chunk(at: 12, is: "VP8 "):
            number([27, 26]).flatMap { width in number([29, 28]).map { size(width & 0x3fff, $0 & 0x3fff) } }
        default: nil
        }
    }

    private func size(_ width: Int, _ height: Int) -> ImageSize {
        ImageSize(width: width, height: height)
    }

    private func chunk(at offset: Int, is name: String) -> Bool {
        bytes.count >= offset + 4 && bytes[offset..<offset + 4].elementsEqual(name.utf8)
    }

    /// The big-endian number whose bytes are at these offsets.
    private func number(_ offsets: [Int]) -> Int? {
        var value = 0
        for offset in offsets {
            guard offset < bytes.count else { return nil }
            value = value << 8 | Int(bytes[offset])
        }
        return value
    }
}
