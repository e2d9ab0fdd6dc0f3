/// The tags in an EXIF block (TIFF 6.0 section 2; Exif 2.3 section 4.6).
struct ExifTags {
    /// The numbers of the tags in all directories.
    private(set) var numbers: Set<UInt16> = []

    private let bytes: [UInt8]
    private let start: Int
    private let isBigEndian: Bool

    /// The tags that point to further directories: EXIF, GPS, interoperability.
    private static let directories: Set<UInt16> = [0x8769, 0x8825, 0xa005]
    /// The maximum number of entries to read in all directories.
    private static let most = 4096

    /// Reads the directories; malformed directories have no tags.
    init(in bytes: [UInt8]) {
        self.bytes = bytes
        start = bytes.starts(with: "Exif\0\0".utf8) ? 6 : 0
        isBigEndian = bytes.dropFirst(start).starts(with: "MM".utf8)
        var waiting = [number(at: 4, size: 4)].compactMap(\.self)
        var seen: Set<Int> = []
        var entries = 0
        while let directory = waiting.popLast(), seen.insert(directory).inserted {
            for index in 0..<(number(at: directory, size: 2) ?? 0) {
                let entry = directory + 2 + 12 * index
                guard entries < ExifTags.most,
                    let tag = number(at: entry, size: 2).map(UInt16.init(truncatingIfNeeded:))
                else { return }
                entries += 1
                numbers.insert(tag)
                if ExifTags.directories.contains(tag), let next = number(at: entry + 8, size: 4) {
                    waiting.append(next)
                }
            }
        }
    }

    private func number(at offset: Int, size: Int) -> Int? {
        let place = start + offset
        guard place >= 0, place <= bytes.count - size else { return nil }
        let part = bytes[place..<place + size]
        return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
}
