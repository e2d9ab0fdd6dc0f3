/// The entries in the directories of an EXIF block (TIFF 6.0 section 2; Exif 2.3 section 4.6).
///
/// libexif 0.6.24 follows a pointer to a directory again if none of that directory's entries has a value, so that a
/// block of 300 bytes, all of them pointers, takes seconds. It also copies the value of each entry, and only then drops
/// an entry whose tag it has already. The walk here follows all pointers that libexif can follow, and counts the bytes
/// of values. The number of its steps is therefore a bound on libexif's.
struct ExifTags {
    /// The numbers of the tags in all directories except those of the embedded thumbnail.
    private(set) var numbers: Set<UInt16> = []
    /// The number of entries, each counted as often as it is read, and one more for each 4096 bytes of its value.
    ///
    /// The walk ends when there are more than ``most``. A maker note of Apple's with more than 300 entries counts as so
    /// many.
    private(set) var entries = 0

    /// The maximum number of entries that libexif must read; a photograph has some hundred.
    ///
    /// A pointer into other bytes, as some cameras write it, leads to a directory of up to 5461 entries.
    static let most = 8192
    /// The maximum length of a block in bytes, with the prefix that libvips adds to a block without one; libexif reads
    /// no directories in what follows, but it does read maker notes there.
    static let maxLength = 0xfffe
    /// The length in bytes of what the counts need: the number of entries of a maker note that begins before the end of
    /// ``maxLength`` can follow it.
    static let countedLength = maxLength + 16

    /// Where the texts are, the values of type ASCII; of the embedded thumbnail none.
    private var texts: [UInt16: Range<Int>] = [:]
    /// The maximum length of a text in bytes.
    private static let maxText = 8192

    /// The bytes in which libexif reads directories.
    private let bytes: [UInt8]
    /// The same bytes and those that follow them.
    private let whole: [UInt8]
    private let isBigEndian: Bool
    private var hasAppleNote = false
    /// The largest number of entries of a maker note, read as one of Apple's.
    private var noteEntries = 0

    /// The tags that point to further directories: EXIF, GPS, interoperability.
    private static let pointers: Set<UInt16> = [0x8769, 0x8825, 0xa005]
    /// The tags for the offset and the length of the embedded thumbnail, which libexif copies at each of them.
    private static let thumbnail: Set<UInt16> = [0x0201, 0x0202]
    private static let makerNote: UInt16 = 0x927c
    /// The maximum number of entries of a maker note, which libexif 0.6.24 limits too, but not for Apple.
    private static let maxNoteEntries = 300
    /// The type of texts.
    private static let ascii = 2
    /// The sizes in bytes of one number of each type; there is no type 0.
    private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]
    private static let prefix = Array("Exif\0\0".utf8)
    /// libexif's limit on the product of the lengths of directories that lead to each other: 1.1 to the power of 170.
    private static let maxProduct = 10_900_000.0

    /// Reads the directories; malformed directories have no tags.
    init(in block: [UInt8]) {
        let prefix = ExifTags.prefix
        let directories = block.dropFirst(block.starts(with: prefix) ? prefix.count : 0)
        whole = Array(directories)
        bytes = Array(whole.prefix(ExifTags.maxLength - prefix.count))
        isBigEndian = bytes.starts(with: "MM".utf8)
        guard let first = number(at: 4, size: 4), let count = number(at: first, size: 2) else { return }
        read(first, isOfThumbnail: false)
        if let second = number(at: first + 2 + 12 * count, size: 4), second > 0 { read(second, isOfThumbnail: true) }
        // libexif reads the maker in the first of several notes, and the entries in the last one.
        if hasAppleNote, noteEntries > ExifTags.maxNoteEntries { entries += ExifTags.most }
    }

    /// The text of a tag; `nil` without one, and if it is longer than 8192 bytes.
    ///
    /// Bytes that are not UTF-8 are read as Latin-1, which loses none. Zeros at the end are left out; others separate
    /// parts, such as the names in `Copyright`.
    func text(of tag: UInt16) -> String? {
        guard let range = texts[tag] else { return nil }
        let end = bytes[range].lastIndex { $0 != 0 }.map { $0 + 1 } ?? range.lowerBound
        let text = bytes[range.lowerBound..<end]
        guard text.count <= ExifTags.maxText else { return nil }
        return String(validating: text, as: UTF8.self)
            ?? String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))
    }

    /// Reads a directory and those to which it points.
    ///
    /// - Parameters:
    ///   - directory: The offset of the directory.
    ///   - pointer: The tag that leads to the directory; libexif does not follow the same tag there. `nil` for the
    ///     first two directories.
    ///   - product: The product of the lengths of the directories on the way to this one. A tenth is added to each
    ///     length, as libexif does, so that directories with a single entry lead to an end too.
    ///   - isOfThumbnail: Whether the way begins at the directory of the embedded thumbnail.
    private mutating func read(
        _ directory: Int,
        of pointer: UInt16? = nil,
        after product: Double = 1,
        isOfThumbnail: Bool
    ) {
        guard product <= ExifTags.maxProduct, let announced = number(at: directory, size: 2) else { return }
        let start = directory + 2
        let count = min(announced, (bytes.count - start) / 12)
        for entry in stride(from: start, to: start + 12 * count, by: 12) {
            guard entries <= ExifTags.most, let tag = number(at: entry, size: 2).map(UInt16.init(truncatingIfNeeded:))
            else { return }
            let range = value(of: entry)
            let copied = ExifTags.thumbnail.contains(tag) ? bytes.count : range?.count ?? 0
            entries += 1 + copied / 4096
            if tag == ExifTags.makerNote, let range {
                hasAppleNote = hasAppleNote || bytes[range].starts(with: "Apple iOS".utf8)
                noteEntries = max(noteEntries, appleEntries(at: range.lowerBound))
            }
            if !isOfThumbnail {
                numbers.insert(tag)
                if number(at: entry + 2, size: 2) == ExifTags.ascii, texts[tag] == nil { texts[tag] = range }
            }
            guard ExifTags.pointers.contains(tag), tag != pointer, let next = number(at: entry + 8, size: 4)
            else { continue }
            read(next, of: tag, after: product * (Double(count) + 0.1), isOfThumbnail: isOfThumbnail)
        }
    }

    /// The range of an entry's value; `nil` for an entry that libexif drops, without bytes or with some outside.
    private func value(of entry: Int) -> Range<Int>? {
        guard let type = number(at: entry + 2, size: 2), ExifTags.sizes.indices.contains(type),
            let count = number(at: entry + 4, size: 4), count > 0
        else { return nil }
        let size = ExifTags.sizes[type] * count
        guard size > 0, let start = size <= 4 ? entry + 8 : number(at: entry + 8, size: 4), start + size <= bytes.count
        else { return nil }
        return start..<start + size
    }

    /// The number of entries of a maker note, read as one of Apple's, which can be longer than its value.
    private func appleEntries(at offset: Int) -> Int {
        guard offset + 16 <= whole.count else { return 0 }
        let (first, second) = (Int(whole[offset + 14]), Int(whole[offset + 15]))
        let order = whole[offset + 12..<offset + 14]
        if order.elementsEqual("MM".utf8) { return first << 8 | second }
        return order.elementsEqual("II".utf8) ? second << 8 | first : 0
    }

    private func number(at offset: Int, size: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        var number = 0
        for index in 0..<size {
            number |= Int(bytes[offset + index]) << (8 * (isBigEndian ? size - 1 - index : index))
        }
        return number
    }
}
