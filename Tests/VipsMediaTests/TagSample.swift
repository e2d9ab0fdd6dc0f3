import NIOCore

/// TIFF files and EXIF segments made by hand, tag by tag (TIFF 6.0, section 2; Exif 2.3, section 4.6).
enum TagSample {
    /// A tag with its value.
    enum Entry {
        case text(UInt16, String)
        /// A text as bytes, with the zero at its end.
        case bytes(UInt16, [UInt8])
        case short(UInt16, [UInt16])
        case long(UInt16, UInt32)
        /// Where what follows the directory begins.
        case start(UInt16)

        fileprivate var tag: UInt16 {
            switch self {
            case .text(let tag, _), .bytes(let tag, _), .short(let tag, _), .long(let tag, _), .start(let tag): tag
            }
        }
    }

    /// A directory of entries, in the order of their tags, so many times, and what follows it.
    static func file(_ entries: [Entry], following: [UInt8] = [], pages: Int = 1) -> [UInt8] {
        let length = 2 + 12 * entries.count + 4
        let end = 8 + length * pages
        var directory = little(UInt16(entries.count))
        var values: [UInt8] = []
        let sizes = entries.map { value(of: $0, start: 0).bytes.count }
        let start = end + sizes.filter { $0 > 4 }.reduce(0) { $0 + $1 + $1 % 2 }
        for entry in entries {
            let (type, count, bytes) = value(of: entry, start: start)
            directory += little(entry.tag) + little(type) + little(UInt32(count))
            if bytes.count > 4 {
                directory += little(UInt32(end + values.count))
                values += bytes + [UInt8](repeating: 0, count: bytes.count % 2)
            } else {
                directory += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
            }
        }
        let directories = (1...pages).flatMap { page in
            directory + little(UInt32(page == pages ? 0 : 8 + length * page))
        }
        return Array("II*\0".utf8) + little(UInt32(8)) + directories + values + following
    }

    /// A grey TIFF of 2x2 pixels with 32 bits.
    static let deepGrey = ByteBuffer(
        bytes: file(
            [
                .short(256, [2]), .short(257, [2]), .short(258, [32]), .short(259, [1]), .short(262, [1]), .start(273),
                .short(277, [1]), .short(278, [2]), .long(279, 16),
            ],
            following: [UInt8](repeating: 100, count: 16)
        )
    )

    /// A TIFF of 8-bit pixels in one strip; all of its pages are the same.
    ///
    /// Its colours are RGB (2) or CIELAB (8).
    static func tiff(
        _ pixels: [UInt8] = ImageSample.quarters(),
        width: UInt16 = 48,
        height: UInt16 = 32,
        colors: UInt16 = 2,
        orientation: UInt16 = 1,
        pages: Int = 1
    ) -> ByteBuffer {
        let entries: [Entry] = [
            .short(256, [width]), .short(257, [height]), .short(258, [8, 8, 8]), .short(259, [1]),
            .short(262, [colors]),
            .start(273), .short(274, [orientation]), .short(277, [3]), .short(278, [height]),
            .long(279, UInt32(pixels.count)),
        ]
        return ByteBuffer(bytes: file(entries, following: pixels, pages: pages))
    }

    /// A JPEG with an EXIF segment right behind its beginning.
    static func jpeg(_ jpeg: ByteBuffer, exif entries: [Entry]) -> ByteBuffer {
        let exif = Array("Exif\0\0".utf8) + file(entries)
        return ByteBuffer(
            bytes: [0xff, 0xd8] + JPEGSample.segment(0xe1, exif) + Array(jpeg.readableBytesView.dropFirst(2))
        )
    }

    /// Quarters of red and green above blue and white, with an orientation.
    static func turned(_ orientation: Int) throws -> ByteBuffer {
        jpeg(try ImageSample.encoded(as: "format/jpeg/q/95"), exif: [.short(0x0112, [UInt16(orientation)])])
    }

    private static func value(of entry: Entry, start: Int) -> (type: UInt16, count: Int, bytes: [UInt8]) {
        switch entry {
        case .text(_, let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
        case .bytes(_, let bytes): (2, bytes.count, bytes)
        case .short(_, let numbers): (3, numbers.count, numbers.flatMap { little($0) })
        case .long(_, let number): (4, 1, little(number))
        case .start: (4, 1, little(UInt32(start)))
        }
    }

    private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
