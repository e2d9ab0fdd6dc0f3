/// EXIF's texts about the rights to an image, which a setting retains.
///
/// They are copied from the EXIF block: libvips' own text of an entry is cut off after 251 bytes, and is replaced if it
/// is not UTF-8.
enum ImageRights {
    /// The tags by their names.
    static let tags: [String: UInt16] = ["Artist": 0x013b, "Copyright": 0x8298]

    /// The texts in an image's EXIF by the names of their tags.
    static func texts(of image: borrowing VipsImageHandle) -> [String: String] {
        guard let exif = image.bytes("exif-data").map({ ExifTags(in: $0) }) else { return [:] }
        return tags.compactMapValues { exif.text(of: $0) }
    }

    /// Attaches EXIF with these texts to an image without EXIF.
    ///
    /// A saver writes an entry again from libvips' text, in ASCII, unless that text is the one which libvips makes of
    /// the entry. If it is cut off within a character, libvips replaces it. Spaces around the text move the cut.
    ///
    /// - Parameters:
    ///   - texts: The texts by the names of their tags; a text that no number of spaces saves is left out.
    ///   - image: The image.
    ///   - hasOrientation: Whether the EXIF has an orientation, which savers then set.
    static func attach(_ texts: [String: String], to image: borrowing VipsImageHandle, hasOrientation: Bool) {
        var written: [String: String] = [:]
        for (name, text) in texts {
            let field = "exif-ifd0-\(name)"
            for spaces in 0..<16 {
                let padded =
                    String(repeating: " ", count: spaces / 4) + text + String(repeating: " ", count: spaces % 4)
                image.set("exif-data", to: block([name: padded], hasOrientation: false))
                if image.text(field)?.utf8.starts(with: padded.utf8.prefix { $0 != 0 }.prefix(80)) ?? false {
                    written[name] = padded
                    break
                }
            }
            image.remove(field)
        }
        image.set("exif-data", to: block(written, hasOrientation: hasOrientation))
    }

    /// EXIF in a TIFF structure of one directory (Exif 2.3, section 4.5).
    private static func block(_ texts: [String: String], hasOrientation: Bool) -> [UInt8] {
        var entries: [(tag: UInt16, type: UInt16, count: Int, bytes: [UInt8])] = texts.compactMap { name, text in
            guard let tag = tags[name] else { return nil }
            let bytes = Array(text.utf8) + [0]
            return (tag, 2, bytes.count, bytes)
        }
        if hasOrientation { entries.append((0x0112, 3, 1, [0, 0])) }
        entries.sort { $0.tag < $1.tag }
        var bytes: [UInt8] = [0x49, 0x49, 0x2a, 0, 8, 0, 0, 0] + little(entries.count, 2)
        var values: [UInt8] = []
        let end = 8 + 2 + 12 * entries.count + 4
        for entry in entries {
            bytes += little(Int(entry.tag), 2) + little(Int(entry.type), 2) + little(entry.count, 4)
            if entry.bytes.count <= 4 {
                bytes += entry.bytes + [UInt8](repeating: 0, count: 4 - entry.bytes.count)
            } else {
                bytes += little(end + values.count, 4)
                // Values begin at even offsets.
                values += entry.bytes + [UInt8](repeating: 0, count: entry.bytes.count % 2)
            }
        }
        return bytes + [0, 0, 0, 0] + values
    }

    private static func little(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
