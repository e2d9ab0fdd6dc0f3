/// The sizes in a directory of a TIFF from which libtiff computes the number of its strips or tiles (TIFF 6.0, sections
/// 8 and 15).
///
/// libtiff extends the tables of strips to that number, however short they are in the file, and cuts an uncompressed image
/// of one strip into strips of 8 KB. Of several values of one tag the one with which there are more strips counts.
struct TIFFLayout {
    private var width = 1
    private var length = 0
    private var depth = 1
    private var samples = 1
    private var bits = 1
    /// Compression 1, which is also the default, is none.
    private var compression: Int?
    private var isPlanar = false
    private var isTiled = false
    // Without a value the whole image is one strip or tile.
    private var rowsPerStrip = Int.max
    private var tileWidth = Int.max
    private var tileLength = Int.max
    private var tileDepth = Int.max

    /// Adds the value of a tag; `nil` for a value that is not in its entry, which counts as the worst one.
    mutating func add(_ value: Int?, of tag: Int) {
        switch tag {
        case 256: width = max(width, value ?? .max)
        case 257: length = max(length, value ?? .max)
        case 258: bits = max(bits, value ?? 64)
        case 259: compression = min(compression ?? .max, value ?? 1)
        case 277: samples = max(samples, value ?? .max)
        case 278: rowsPerStrip = min(rowsPerStrip, max(1, value ?? 1))
        case 284: isPlanar = isPlanar || (value ?? 2) == 2
        case 322:
            isTiled = true
            tileWidth = min(tileWidth, max(1, value ?? 1))
        case 323:
            isTiled = true
            tileLength = min(tileLength, max(1, value ?? 1))
        case 32_997: depth = max(depth, value ?? .max)
        case 32_998: tileDepth = min(tileDepth, max(1, value ?? 1))
        default: break
        }
    }

    /// The number of strips or tiles, at most 2^32.
    var strips: Int {
        var factors = isPlanar ? [samples] : []
        if isTiled {
            factors += [
                TIFFLayout.pieces(of: width, tileWidth), TIFFLayout.pieces(of: length, tileLength),
                TIFFLayout.pieces(of: depth, tileDepth),
            ]
        } else {
            factors.append(max(TIFFLayout.pieces(of: length, rowsPerStrip), cutStrips))
        }
        return factors.reduce(1) { strips, factor in
            let (product, isTooLarge) = strips.multipliedReportingOverflow(by: factor)
            return isTooLarge ? 1 << 32 : min(product, 1 << 32)
        }
    }

    /// The number of strips into which libtiff cuts the image; 1 if it leaves it whole.
    private var cutStrips: Int {
        guard TIFFLayout.pieces(of: length, rowsPerStrip) == 1, (compression ?? 1) <= 1 else { return min(length, 1) }
        let row = [samples, bits].reduce(width) { row, factor in
            let (product, isTooLarge) = row.multipliedReportingOverflow(by: factor)
            return isTooLarge ? .max : product
        }
        return TIFFLayout.pieces(of: length, max(1, TIFFLayout.cutBits / max(1, row)))
    }

    /// The size of a strip of 8 KB in bits.
    private static let cutBits = 65_536

    private static func pieces(of length: Int, _ size: Int) -> Int {
        length / size + (length.isMultiple(of: size) ? 0 : 1)
    }
}
