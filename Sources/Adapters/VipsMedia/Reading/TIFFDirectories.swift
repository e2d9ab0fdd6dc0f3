/// The directories of a TIFF (TIFF 6.0, section 2; BigTIFF), all of which libtiff reads before it returns the size.
///
/// Several directories can have their values at the same offset, and libtiff stores a byte of some arrays as a number of
/// eight, so that a small file can take minutes or gigabytes.
struct TIFFDirectories {
    private static let maxDirectories = 4096
    private static let maxEntries = 1 << 17
    /// libtiff compares the entries of a directory with each other; few files have more than a hundred.
    private static let maxEntriesOfOne = 1024
    /// libtiff refuses a directory with more, and ends there.
    private static let maxEntriesOfLibtiff = 4096
    /// libtiff sorts the tags that it knows again for each new one.
    private static let maxTags = 256
    /// The offsets and lengths of half a million strips or tiles, at 8 bytes a number; libtiff frees those of a directory
    /// before it reads the next one.
    private static let maxNumbersOfOne = 1 << 20
    /// libtiff takes about 10 nanoseconds for each.
    private static let maxNumbers = 4 << 20
    /// How much longer all values can be than the file, because directories can share a colour profile.
    private static let maxSharedBytes = 4 << 20

    /// The size in bytes of a value, by the number of its type.
    private static let sizes = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8,
    ]
    /// The types whose values are stored as bytes: ASCII and UNDEFINED.
    private static let byteTypes: Set<Int> = [2, 7]
    /// The types of single bytes, BYTE and SBYTE, which libtiff widens for tags that have numbers.
    private static let smallTypes: Set<Int> = [1, 6]
    /// The first tag whose single bytes are metadata: XMP, a colour profile, a camera's own data.
    private static let firstByteTag = 700
    /// The tag of IPTC's metadata, whose bytes libtiff stores as numbers of 32 bits.
    private static let iptcTag = 33_723
    /// The offsets and lengths of strips and tiles.
    private static let stripTables: Set<Int> = [273, 279, 324, 325]

    private var window: ByteWindow
    private let fileSize: Int
    private let isBigEndian: Bool
    /// Whether offsets and counts have 64 bits.
    private let isBigTIFF: Bool
    private var entries = 0
    private var numbers = 0
    private var bytes = 0
    private var tags: Set<Int> = []

    /// Creates the walk; `nil` unless the file begins as a TIFF.
    ///
    /// - Parameters:
    ///   - window: The file; its budget bounds the work.
    ///   - fileSize: The size of the file in bytes.
    /// - Throws: The errors of the window.
    init?(_ window: ByteWindow, fileSize: Int) throws {
        var window = window
        isBigEndian = try window.byte(at: 0) == UInt8(ascii: "M")
        let version = try window.byte(at: isBigEndian ? 3 : 2)
        guard version == 42 || version == 43 else { return nil }
        isBigTIFF = version == 43
        self.window = window
        self.fileSize = fileSize
    }

    /// Whether libtiff can read all directories in little time and memory.
    mutating func areFew() throws -> Bool {
        var seen: Set<Int> = []
        var next = isBigTIFF ? try number(at: 8, size: 8) : try number(at: 4, size: 4)
        // libtiff also ends at a directory that it has read before, and where the file ends.
        while let offset = next, offset > 0, offset < fileSize, seen.insert(offset).inserted {
            guard seen.count <= TIFFDirectories.maxDirectories else { return false }
            guard let count = try number(at: offset, size: isBigTIFF ? 8 : 2),
                count <= TIFFDirectories.maxEntriesOfLibtiff
            else { break }
            let start = offset + (isBigTIFF ? 8 : 2)
            guard try addEntries(count, at: start) else { return false }
            next = try number(at: start + count * entrySize, size: isBigTIFF ? 8 : 4)
        }
        return !window.isSpent
    }

    private var entrySize: Int { isBigTIFF ? 20 : 12 }

    /// Adds the entries of one directory; returns whether all entries so far are within the limits.
    private mutating func addEntries(_ count: Int, at start: Int) throws -> Bool {
        entries += count
        guard count <= TIFFDirectories.maxEntriesOfOne, entries <= TIFFDirectories.maxEntries else { return false }
        // Without the tables of strips, and these alone.
        var (others, tables) = (0, 0)
        var layout = TIFFLayout()
        for entry in stride(from: start, to: start + count * entrySize, by: entrySize) {
            guard let tag = try number(at: entry, size: 2), let type = try number(at: entry + 2, size: 2),
                let count = try number(at: entry + 4, size: isBigTIFF ? 8 : 4)
            else { break }
            tags.insert(tag)
            guard let size = TIFFDirectories.sizes[type] else { continue }
            let field = isBigTIFF ? 8 : 4
            let value = size <= field ? try number(at: entry + 4 + field, size: size) : nil
            layout.add(value, of: tag)
            // libtiff does not store values beyond the end of the file.
            let stored = min(count, fileSize / size)
            bytes += stored * size
            if TIFFDirectories.stripTables.contains(tag) {
                tables += stored
            } else if TIFFDirectories.isStoredAsNumbers(tag, type) {
                others += stored
            }
        }
        let added = others + max(tables, 2 * layout.strips)
        numbers += added
        return tags.count <= TIFFDirectories.maxTags && added <= TIFFDirectories.maxNumbersOfOne
            && numbers <= TIFFDirectories.maxNumbers && bytes - fileSize <= TIFFDirectories.maxSharedBytes
    }

    private static func isStoredAsNumbers(_ tag: Int, _ type: Int) -> Bool {
        guard !byteTypes.contains(type) else { return false }
        return tag < firstByteTag || tag == iptcTag || !smallTypes.contains(type)
    }

    /// The number at an offset, at most `Int.max`; `nil` beyond the end of the file.
    private mutating func number(at offset: Int, size: Int) throws -> Int? {
        var number: UInt64 = 0
        // In the order of the file, because the window only reads forward.
        for index in 0..<size {
            guard let byte = try window.byte(at: offset + index) else { return nil }
            number |= UInt64(byte) << (8 * (isBigEndian ? size - 1 - index : index))
        }
        return Int(clamping: number)
    }
}
