internal import Domain

/// Reads what the first bytes of an image tell of its header.
struct HeadReader {
    /// The first bytes, at least ``SourceSniffer/headLength`` unless the image is shorter.
    let bytes: UnsafeRawBufferPointer
    /// How many the image has in all.
    let count: Int
    let watch: JobWatch

    /// The whole header, if nothing behind the first bytes was looked at for it.
    ///
    /// - Throws: ``ServiceError/Code/notAnImage`` if that can be told already.
    func read() throws -> HeadReading {
        guard let format = SourceSniffer.format(of: bytes) else {
            throw ServiceError.unreadable(VipsError(operation: "sniff", detail: ""))
        }
        // Readers that can miss bytes: libheif ends the process when bytes are not there that should be.
        guard [.jpeg, .png, .webp, .bmp].contains(format) else { return .partial(nil) }
        let end = HeadEnd()
        do {
            let source = SourceBytes.head(bytes, count: count, end: end)
            let header = try HeaderReader(bytes: source, watch: watch).read(format)
            guard end.isPassed else { return .whole(header) }
            // Of a JPEG only the number of scans is told by all of it.
            return .partial(format == .jpeg ? header.size : size(format))
        } catch {
            guard end.isPassed else { throw error }
            try watch.check()
            return .partial(size(format))
        }
    }

    /// The size where a format has it at a fixed place, so that no decoder can find another one.
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

    /// The number whose bytes are at these offsets, the highest first.
    private func number(_ offsets: [Int]) -> Int? {
        var value = 0
        for offset in offsets {
            guard offset < bytes.count else { return nil }
            value = value << 8 | Int(bytes[offset])
        }
        return value
    }
}
