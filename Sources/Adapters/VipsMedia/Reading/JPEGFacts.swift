internal import Domain

/// What a JPEG says before its first scan (ITU-T T.81, annex B), as far as libvips does not tell it.
struct JPEGFacts: Sendable, Hashable {
    /// As the pixels lie, before any EXIF orientation.
    let size: ImageSize
    /// Bits of a sample: 8, rarely 12.
    let precision: Int
    /// 1 for grey, 3 for colour, 4 for CMYK.
    let components: Int
    /// Whether it comes in passes, which a decoder must hold in memory.
    let isProgressive: Bool
    /// What Adobe's segment says of the colours: 0 as they are, 1 YCbCr, 2 YCCK.
    let adobeTransform: Int?
    /// 1 to 100 by its quantization tables, see ``JPEGQuality``; `nil` without tables.
    let quality: Int?

    /// As `imageInfo` writes it.
    var colorModel: String {
        switch components {
        case 1: "gray"
        case 4: adobeTransform == 2 ? "ycck" : "cmyk"
        default: "ycbcr"
        }
    }

    /// Walks the segments up to the first scan; `nil` if that is no JPEG with a frame before it.
    ///
    /// Work is bounded by what the window lets through.
    init?(_ window: ByteWindow) throws {
        var walk = JPEGWalk(window: window)
        try walk.run()
        guard let frame = walk.frame else { return nil }
        size = frame.size
        precision = frame.precision
        components = frame.tableIDs.count
        isProgressive = frame.isProgressive || walk.scanComponents.map { $0 < frame.tableIDs.count } ?? false
        adobeTransform = walk.adobeTransform
        // libjpeg and all others give the chrominance a table of its own or none: the second one in use is that.
        let luminance = frame.tableIDs.first
        let chrominance = frame.tableIDs.first { $0 != luminance }
        quality = luminance.flatMap { walk.tableSums[$0] }
            .map { JPEGQuality.nearest(luminance: $0, chrominance: chrominance.flatMap { walk.tableSums[$0] }) }
    }
}

/// Goes from segment to segment and records the relevant ones.
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
    /// How many components the first scan has.
    var scanComponents: Int?

    init(window: ByteWindow) {
        self.window = window
    }

    mutating func run() throws {
        guard try window.big16(at: 0) == 0xffd8 else { return }
        var offset = 2
        while let marker = try marker(from: &offset) {
            switch marker {
            // The scan begins, the image ends or begins again.
            case 0xda:
                scanComponents = try window.byte(at: offset + 2).map(Int.init)
                return
            case 0xd9, 0xd8: return
            // These have no length.
            case 0x01, 0xd0...0xd7: continue
            default: break
            }
            guard let length = try window.big16(at: offset), length >= 2 else { return }
            let body = offset + 2..<offset + length
            switch marker {
            case 0xdb: try readTables(body)
            case 0xee: try readAdobe(body)
            // Start of frame, but for the markers of Huffman tables, extensions and arithmetic conditioning.
            case 0xc0...0xcf where marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
                guard frame == nil, let found = try readFrame(body, marker: marker) else { return }
                frame = found
            default: break
            }
            offset = body.upperBound
        }
    }

    /// The next marker, and the offset behind it; as decoders do, passes over what does not belong there.
    private mutating func marker(from offset: inout Int) throws -> UInt8? {
        var isBehindFF = false
        while let byte = try window.byte(at: offset) {
            offset += 1
            if isBehindFF, byte != 0xff, byte != 0 { return byte }
            isBehindFF = byte == 0xff
        }
        return nil
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
