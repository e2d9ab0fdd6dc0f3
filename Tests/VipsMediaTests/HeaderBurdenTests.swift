import Domain
import NIOCore
import Support
import Testing

@testable import VipsMedia

/// Files for whose header libvips would take too much time or memory.
@Suite struct HeaderBurdenTests {
    private let empty: [UInt8] = [0xff, 0xe1, 0, 2]

    private func inserted(_ part: [UInt8], in file: [UInt8], at offset: Int) -> ByteBuffer {
        var bytes = file
        bytes.insert(contentsOf: part, at: offset)
        return ByteBuffer(bytes: bytes)
    }

    private func segments(_ count: Int) -> [UInt8] {
        Array([[UInt8]](repeating: empty, count: count).joined())
    }

    @Test("a JPEG has at most 1000 segments before its first scan", arguments: [(1000, true), (1001, false)])
    func areFewSegments(count: Int, expected: Bool) throws {
        let bytes = JPEGSample.file(segments(count))
        let areFew = try bytes.withUnsafeBytes { try JPEGSegments(ByteWindow($0)).areFew }
        #expect(areFew == expected)
    }

    @Test("markers without a length are no segments")
    func restarts() throws {
        let markers = Array([[UInt8]](repeating: [0xff, 0xd0], count: 2000).joined())
        let areFew = try JPEGSample.file(markers).withUnsafeBytes { try JPEGSegments(ByteWindow($0)).areFew }
        #expect(areFew)
    }

    @Test("a JPEG whose first scan is not found within the budget has too many bytes before it")
    func straySegments() throws {
        let bytes = [0xff, 0xd8] + [UInt8](repeating: 0, count: 1 << 14)
        let areFew = try JPEGSegments(ByteWindow(budget: 1 << 12) { Array(bytes.dropFirst($0).prefix($1)) }).areFew
        #expect(!areFew)
    }

    @Test("header and EXIF of a JPEG with a thousand empty segments are not read")
    func manySegments() async throws {
        let jpeg = Array(try ImageSample.encoded(as: "format/jpeg").readableBytesView)
        let rendering = try Rendering()
        _ = try await rendering.open(inserted(segments(900), in: jpeg, at: 2))
        let bytes = inserted(segments(1001), in: jpeg, at: 2)
        await expectFailure(.imageTooLarge) { try await rendering.open(bytes) }
        await expectFailure(.imageTooLarge) {
            try await rendering.renderer.exif(of: .memory(bytes), for: ImageRequester())
        }
    }

    @Test("a progressive JPEG with a thousand segments behind its first scan is refused")
    func segmentsBetweenScans() async throws {
        let jpeg = Array(try ImageSample.encoded(as: "format/jpeg/interlace/1").readableBytesView)
        let rendering = try Rendering()
        _ = try await rendering.open(inserted(segments(900), in: jpeg, at: jpeg.count - 2))
        let bytes = inserted(segments(1001), in: jpeg, at: jpeg.count - 2)
        await expectFailure(.imageTooLarge) { try await rendering.open(bytes) }
    }

    @Test("bytes like segments behind the end of a progressive JPEG do not count")
    func segmentsBehindEnd() async throws {
        let jpeg = Array(try ImageSample.encoded(as: "format/jpeg/interlace/1").readableBytesView)
        let rendering = try Rendering()
        _ = try await rendering.open(inserted(segments(20_000), in: jpeg, at: jpeg.count))
    }

    @Test("a segment with a length that is too short hides no others")
    func shortLength() throws {
        let bytes = JPEGSample.file([0xff, 0xe1, 0, 0], segments(1000))
        let areFew = try bytes.withUnsafeBytes { try JPEGSegments(ByteWindow($0)).areFew }
        #expect(!areFew)
    }

    @Test("a TIFF whose pages announce more strips than their tables have is refused", arguments: [true, false])
    func announcedStrips(hasRows: Bool) async throws {
        // Without rows in each strip, libtiff cuts wide rows into a strip each.
        let entries: [TagSample.Entry] =
            [
                .short(256, [hasRows ? 1 : 8193]), .long(257, 999_999), .short(258, [8]), .short(259, [1]),
                .short(262, [1]), .start(273), .short(277, [1]),
            ] + (hasRows ? [.short(278, [1])] : []) + [.long(279, 1)]
        let bytes = ByteBuffer(bytes: TagSample.file(entries, following: [9], pages: 400))
        await expectFailure(.imageTooLarge) { try await Rendering().open(bytes) }
    }

    @Test("header and EXIF of a TIFF with thousands of pages are not read")
    func manyPages() async throws {
        let rendering = try Rendering()
        let bytes = TagSample.tiff([UInt8](repeating: 200, count: 4 * 4 * 3), width: 4, height: 4, pages: 4097)
        await expectFailure(.imageTooLarge) { try await rendering.open(bytes) }
        await expectFailure(.imageTooLarge) {
            try await rendering.renderer.exif(of: .memory(bytes), for: ImageRequester())
        }
    }

    /// Where a file has its EXIF block.
    enum ExifPlace: CaseIterable {
        case jpeg
        case png
        case webp

        /// A small image with the block.
        func file(with block: [UInt8]) throws -> ByteBuffer {
            switch self {
            case .jpeg:
                var jpeg = Array(try ImageSample.encoded(as: "format/jpeg").readableBytesView)
                jpeg.insert(contentsOf: JPEGSample.segment(0xe1, Array("Exif\0\0".utf8) + block), at: 2)
                return ByteBuffer(bytes: jpeg)
            case .png:
                var png = Array(try ImageSample.encoded(as: "format/png").readableBytesView)
                png.insert(contentsOf: ImageHeaderTests.chunk("eXIf", block), at: 33)
                return ByteBuffer(bytes: png)
            case .webp:
                let webp = Array(try ImageSample.encoded(as: "format/webp").readableBytesView)
                // libvips 8.14 writes an EXIF chunk of its own, so only the chunk of the pixels is taken.
                let start = try #require(webp.firstRange(of: Array("VP8 ".utf8))).lowerBound
                let size = Int(webp[start + 4]) | Int(webp[start + 5]) << 8
                let pixels = WebPFactsTests.chunk("VP8 ", Array(webp[start + 8..<start + 8 + size]))
                // The flag for EXIF, and the canvas of 48x32 pixels (RFC 9649, section 2.7).
                let extended = WebPFactsTests.chunk("VP8X", [8, 0, 0, 0, 47, 0, 0, 31, 0, 0])
                let exif = WebPFactsTests.chunk("EXIF", block)
                return ByteBuffer(bytes: WebPFactsTests.file(extended + pixels + exif))
            }
        }
    }

    @Test("EXIF whose pointers all lead to their own directory is not read", arguments: ExifPlace.allCases)
    func tangledExif(place: ExifPlace) async throws {
        let pointers = [0x8769, 0x8825, 0xa005].map { TagSample.Entry.long($0, 8) }
        let block = TagSample.file(Array([[TagSample.Entry]](repeating: pointers, count: 10).joined()))
        let bytes = try place.file(with: block)
        let rendering = try Rendering()
        await expectFailure(.imageTooLarge) { try await rendering.open(bytes) }
        await expectFailure(.imageTooLarge) {
            try await rendering.renderer.exif(of: .memory(bytes), for: ImageRequester())
        }
    }

    @Test("a second EXIF block of a JPEG is checked as well")
    func secondExif() async throws {
        let tangled = TagSample.file([0x8769, 0x8825, 0xa005].map { TagSample.Entry.long($0, 8) })
        let first = JPEGSample.segment(0xe1, Array("Exif\0\0".utf8) + TagSample.file([.short(0x0112, [6])]))
        let second = JPEGSample.segment(0xe1, Array("Exif\0\0".utf8) + tangled)
        let jpeg = Array(try ImageSample.encoded(as: "format/jpeg").readableBytesView)
        let bytes = inserted(first + second, in: jpeg, at: 2)
        await expectFailure(.imageTooLarge) { try await Rendering().open(bytes) }
    }

    @Test("EXIF of a photograph is read at each of these places", arguments: ExifPlace.allCases)
    func plainExif(place: ExifPlace) async throws {
        let block = TagSample.file([.short(0x0112, [6]), .text(0x013b, "Somebody")])
        let bytes = try place.file(with: block)
        let rendering = try Rendering()
        #expect(try await rendering.open(bytes).header.orientation == 6)
        let fields = try await rendering.renderer.exif(of: .memory(bytes), for: ImageRequester())
        #expect(fields["Artist"]?.value == "Somebody")
    }

    @Test("a JPEG has at most 16 EXIF blocks", arguments: [(16, true), (17, false)])
    func exifBlocks(count: Int, isRead: Bool) async throws {
        let block = JPEGSample.segment(0xe1, Array("Exif\0\0".utf8) + TagSample.file([.short(0x0112, [6])]))
        let jpeg = Array(try ImageSample.encoded(as: "format/jpeg").readableBytesView)
        let bytes = inserted(Array([[UInt8]](repeating: block, count: count).joined()), in: jpeg, at: 2)
        let rendering = try Rendering()
        if isRead {
            #expect(try await rendering.open(bytes).header.orientation == 6)
        } else {
            await expectFailure(.imageTooLarge) { try await rendering.open(bytes) }
        }
    }

    @Test("a TIFF whose EXIF pointer leads to its own directory is read, because no EXIF reader gets it")
    func tangledTIFF() async throws {
        let tiff = TagSample.file(
            [
                .short(256, [2]), .short(257, [2]), .short(258, [8]), .short(259, [1]), .short(262, [1]), .start(273),
                .short(277, [1]), .short(278, [2]), .long(279, 4), .long(0x8769, 8), .long(0x8825, 8),
            ],
            following: [1, 2, 3, 4]
        )
        let header = try await Rendering().open(ByteBuffer(bytes: tiff)).header
        #expect(header.size == ImageSize(width: 2, height: 2))
    }

    /// A text as a zlib stream that is not compressed (RFC 1950).
    private static func packed(_ text: String) -> [UInt8] {
        let count = UInt16(text.utf8.count)
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in text.utf8 {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let checksum = high << 16 | low
        var bytes: [UInt8] = [0x78, 0x01, 0x01]
        for number in [count, ~count] { bytes += [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)] }
        bytes += text.utf8
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
        return bytes
    }

    private static let texts: [(String, [UInt8], Bool)] = [
        ("tEXt", Array("Comment\0some text".utf8), true),
        ("zTXt", Array("Comment\0\0".utf8) + packed("some text"), false),
        ("iTXt", Array("Comment\0\u{1}\0\0\0".utf8) + packed("some text"), false),
    ]

    @Test("libvips sees the texts of a PNG that are not compressed, and no others", arguments: texts)
    func visibleTexts(name: String, body: [UInt8], isSeen: Bool) throws {
        let png = Array(try ImageSample.encoded(as: "format/png").readableBytesView)
        // The signature and the header take 33 bytes.
        let chunk = ImageHeaderTests.chunk(name, body)
        let bytes = inserted(chunk, in: png, at: 33)
        let names = try bytes.withUnsafeReadableBytes { bytes in
            try VipsImageHandle(VipsSourceHandle(.memory(bytes), watch: nil)).fieldNames
        }
        #expect(names.contains { $0.hasPrefix("png-comment") } == isSeen)
    }

    @Test("a PNG with compressed texts has the pixels of one without")
    func textsAndPixels() async throws {
        let png = Array(try ImageSample.encoded(as: "format/png").readableBytesView)
        let chunk = ImageHeaderTests.chunk("zTXt", Array("Comment\0\0".utf8) + Self.packed("some text"))
        let texts = Array([[UInt8]](repeating: chunk, count: 16).joined())
        let bytes = inserted(texts, in: png, at: 33)
        let pixels = try await Rendering().pixels("imageMogr2/thumbnail/24x/format/png", bytes)
        let expected = try await Rendering().pixels("imageMogr2/thumbnail/24x/format/png", ByteBuffer(bytes: png))
        #expect(pixels.corners == expected.corners)
    }
}
