internal import Domain

/// Facts from a JPEG before its first scan (ITU-T T.81, annex B) that libvips does not expose.
struct JPEGFacts: Sendable, Hashable {
    /// The size before any EXIF orientation.
    let size: ImageSize
    /// Bits of a sample: 8, rarely 12.
    let precision: Int
    /// 1 for grey, 3 for colour, 4 for CMYK.
    let components: Int
    /// Whether the file has several scans, which a decoder must store in memory.
    let isProgressive: Bool
    /// The colour transform in Adobe's segment: 0 none, 1 YCbCr, 2 YCCK.
    let adobeTransform: Int?
    /// 1 to 100, estimated from the quantization tables, see ``JPEGQuality``; `nil` without tables.
    let quality: Int?

    /// The colour model as `imageInfo` writes it.
    var colorModel: String {
        switch components {
        case 1: "gray"
        case 4: adobeTransform == 2 ? "ycck" : "cmyk"
        default: "ycbcr"
        }
    }

    /// Reads the segments up to the first scan; `nil` unless the file is a JPEG with a frame before it.
    ///
    /// The window's budget bounds the work.
    init?(_ window: ByteWindow) throws {
        var walk = JPEGWalk(window: window)
        try walk.run()
        guard let frame = walk.frame else { return nil }
        size = frame.size
        precision = frame.precision
        components = frame.tableIDs.count
        isProgressive = frame.isProgressive || walk.scanComponents.map { $0 < frame.tableIDs.count } ?? false
        adobeTransform = walk.adobeTransform
        // libjpeg and other encoders give the chrominance a separate table or none, so a second table is that of the
        // chrominance.
        let luminance = frame.tableIDs.first
        let chrominance = frame.tableIDs.first { $0 != luminance }
        quality = luminance.flatMap { walk.tableSums[$0] }
            .map { JPEGQuality.nearest(luminance: $0, chrominance: chrominance.flatMap { walk.tableSums[$0] }) }
    }
}

/// Iterates over the segments and records the relevant ones.
private struct JPEGWalk {
    struct Frame {
        let size: ImageSize
        let precision: Int
        let isProgressive: Bool
        /// The quantization table of each component.
        let tableIDs: [Int]
    }

    var window: ByteWindow
    var frame: Frame?
    var adobeTransform: Int?
    var tableSums: [Int: Int] = [:]
    /// The number of components in the first scan.
    var scanComponents: Int?

    init(window: ByteWindow) {
        self.window = window
    }

    mutating func run() throws {
        guard try window.big16(at: 0) == 0xffd8 else { return }
        var offset = 2
        while let marker = try window.jpegMarker(from: &offset) {
            switch marker {
            // The scan begins, or the image ends or restarts.
            case 0xda:
                scanComponents = try window.byte(at: offset + 2).map(Int.init)
                return
            case 0xd9, 0xd8: return
            // These markers have no length.
            case 0x01, 0xd0...0xd7: continue
            default: break
            }
            guard let length = try window.big16(at: offset), length >= 2 else { return }
            let body = offset + 2..<offset + length
            switch marker {
            case 0xdb: try readTables(body)
            case 0xee: try readAdobe(body)
            // Start of frame; the excluded markers are Huffman tables, extensions and arithmetic conditioning.
            case 0xc0...0xcf where marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
                guard frame == nil, let found = try readFrame(body, marker: marker) else { return }
                frame = found
            default: break
            }
            offset = body.upperBound
        }
    }

    private mutating func readFrame(_ body: Range<Int>, marker: UInt8) throws -> Frame? {
        let start = body.lowerBound
        guard body.count >= 6, let precision = try window.byte(at: start), let height = try window.big16(at: start + 1),
            let width = try window.big16(at: start + 3), let components = try window.byte(at: start + 5),
            width > 0, height > 0, components > 0, body.count >= 6 + 3 * Int(components)
        else { return nil }
        var tableIDs: [Int] = []
        for component in 0..<Int(components) {
            guard let id = try window.byte(at: start + 6 + 3 * component + 2) else { return nil }
            tableIDs.append(Int(id))
        }
        return Frame(
            size: ImageSize(width: width, height: height),
            precision: Int(precision),
            isProgressive: marker & 0x03 == 2,
            tableIDs: tableIDs
        )
    }

    private mutating func readTables(_ body: Range<Int>) throws {
        var offset = body.lowerBound
        while offset < body.upperBound, let kind = try window.byte(at: offset) {
            let width = kind >> 4 == 0 ? 1 : 2
            let end = offset + 1 + 64 * width
            guard end <= body.upperBound else { return }
            var sum = 0
            for place in stride(from: offset + 1, to: end, by: width) {
                guard let value = try width == 1 ? window.byte(at: place).map(Int.init) : window.big16(at: place) else {
                    return
                }
                sum += min(value, JPEGQuality.largestStep)
            }
            tableSums[Int(kind & 0x0f)] = sum
            offset = end
        }
    }

    private mutating func readAdobe(_ body: Range<Int>) throws {
        guard body.count >= 12, try window.holds("Adobe".utf8, at: body.lowerBound) else { return }
        adobeTransform = try window.byte(at: body.lowerBound + 11).map(Int.init)
    }
}
