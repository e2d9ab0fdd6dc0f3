internal import Domain

/// Detects an image's format by its first bytes; names and types from clients are ignored.
///
/// A detected format does not mean that the rest of the bytes is valid: it selects the reader to try.
enum SourceSniffer {
    /// The number of bytes that are examined.
    static let headLength = 4096

    /// The format of a source with these first bytes; `nil` if it is not a supported format.
    ///
    /// Bytes beyond ``headLength`` are ignored, so that the result does not depend on how many were read.
    static func format(of head: UnsafeRawBufferPointer) -> SourceFormat? {
        let cursor = ByteCursor(UnsafeRawBufferPointer(rebasing: head.prefix(headLength)))
        return raster(cursor) ?? isoMedia(cursor) ?? (isSVG(cursor) ? .svg : nil) ?? (isPDF(cursor) ? .pdf : nil)
    }

    private static let signatures: [(SourceFormat, [UInt8])] = [
        (.jpeg, [0xff, 0xd8, 0xff]),
        (.png, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
        (.gif, Array("GIF87a".utf8)),
        (.gif, Array("GIF89a".utf8)),
        (.tiff, [0x49, 0x49, 0x2a, 0x00]),
        (.tiff, [0x4d, 0x4d, 0x00, 0x2a]),
        // BigTIFF.
        (.tiff, [0x49, 0x49, 0x2b, 0x00]),
        (.tiff, [0x4d, 0x4d, 0x00, 0x2b]),
        // JPEG XL as a bare codestream and in boxes (ISO 18181-2).
        (.jxl, [0xff, 0x0a]),
        (.jxl, [0, 0, 0, 0x0c, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a]),
        // JPEG 2000 likewise (ISO 15444-1).
        (.jp2, [0xff, 0x4f, 0xff, 0x51]),
        (.jp2, [0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20, 0x0d, 0x0a, 0x87, 0x0a]),
    ]

    private static func raster(_ cursor: ByteCursor) -> SourceFormat? {
        if let found = signatures.first(where: { cursor.holds($0.1) }) { return found.0 }
        if cursor.holds("RIFF".utf8), cursor.holds("WEBP".utf8, at: 8) { return .webp }
        // The two letters alone can also begin a text.
        if cursor.holds("BM".utf8), let size = cursor.little32(at: BMPHeader.fileHeaderSize),
            BMPHeader.headerSizes.contains(Int(size))
        {
            return .bmp
        }
        return nil
    }

    /// Detects HEIC and AVIF by the brands of their `ftyp` box (ISO 14496-12, section 4.3).
    ///
    /// `mif1` and `msf1` only name the container; the compatible brands name the codec.
    private static func isoMedia(_ cursor: ByteCursor) -> SourceFormat? {
        guard cursor.holds("ftyp".utf8, at: 4), let size = cursor.big32(at: 0), size >= 16 else { return nil }
        let isBrand = { (brands: Set<String>, offset: Int) in brands.contains { cursor.holds($0.utf8, at: offset) } }
        if isBrand(avifBrands, 8) { return .avif }
        guard isBrand(heifBrands, 8) else { return nil }
        let end = min(Int(size), cursor.count)
        let isAVIF = stride(from: 16, through: end - 4, by: 4).contains { isBrand(avifBrands, $0) }
        return isAVIF ? .avif : .heic
    }

    private static let avifBrands: Set = ["avif", "avis"]

    private static let heifBrands: Set = ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"]

    /// Whether the first kilobyte contains the signature of PDF; its readers allow any bytes before it.
    private static func isPDF(_ cursor: ByteCursor) -> Bool {
        let places = cursor.bytes.prefix(1024)
        return places.indices.contains { places[$0] == UInt8(ascii: "%") && cursor.holds("%PDF-".utf8, at: $0) }
    }
}
