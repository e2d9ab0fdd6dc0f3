internal import Domain

/// Parses the strings in which libvips stores EXIF fields.
enum ExifReader {
    /// The prefixes of field names such as `exif-ifd0-DateTime`; directory 1 is that of an embedded thumbnail.
    private static let directories = ["exif-ifd0-", "exif-ifd2-", "exif-ifd3-", "exif-ifd4-"]

    /// The numbers of types (Exif 2.3, section 4.6.2) by libexif's names.
    private static let types = [
        "Byte": 1, "ASCII": 2, "Short": 3, "Long": 4, "Rational": 5, "SByte": 6, "Undefined": 7, "SShort": 8,
        "SLong": 9, "SRational": 10, "Float": 11, "Double": 12,
    ]

    static func fields(of image: borrowing VipsImageHandle) -> [String: ExifField] {
        var fields: [String: ExifField] = [:]
        let names = image.fieldNames
        let exif = image.bytes("exif-data").map { ExifTags(in: $0) }
        let present = exif?.numbers ?? []
        for directory in directories {
            for name in names where name.hasPrefix(directory) {
                let tag = String(name.dropFirst(directory.count))
                if let number = added[tag], !present.contains(number) { continue }
                guard fields[tag] == nil, let text = image.text(name) else { continue }
                fields[tag] = field(text)
            }
        }
        // libvips has cut these off, or they are not UTF-8, for which it has another text or a replacement character.
        for (tag, number) in texts where fields[tag]?.value.unicodeScalars.contains("\u{fffd}") ?? true {
            guard let text = exif?.text(of: number) else { continue }
            let value = tag == "Copyright" ? readable(copyright: text) : String(text.untilZero)
            fields[tag] = ExifField(type: 2, value: value)
        }
        return fields
    }

    /// The fields whose texts can be long or have other characters than ASCII, with the numbers of the tags.
    private static let texts: [String: UInt16] = [
        "DocumentName": 0x010d, "ImageDescription": 0x010e, "Make": 0x010f, "Model": 0x0110, "Software": 0x0131,
        "Artist": 0x013b, "Copyright": 0x8298, "ImageUniqueID": 0xa420, "CameraOwnerName": 0xa430,
        "BodySerialNumber": 0xa431, "LensMake": 0xa433, "LensModel": 0xa434, "LensSerialNumber": 0xa435,
    ]

    /// The readable form as libexif writes it: a zero is between photographer and editor.
    private static func readable(copyright text: String) -> String {
        let photographer = text.untilZero
        let editor = Substring(text.unicodeScalars.dropFirst(photographer.unicodeScalars.count + 1)).untilZero
        func name(_ part: Substring) -> Substring { part.allSatisfy { $0 == " " } ? "[None]" : part }
        return "\(name(photographer)) (Photographer) - \(name(editor)) (Editor)"
    }

    /// The fields that libexif adds to EXIF without them, with the numbers of the tags.
    private static let added: [String: UInt16] = [
        "XResolution": 0x011a, "YResolution": 0x011b, "ResolutionUnit": 0x0128, "YCbCrPositioning": 0x0213,
        "ExifVersion": 0x9000, "ComponentsConfiguration": 0x9101, "FlashPixVersion": 0xa000, "FlashpixVersion": 0xa000,
        "ColorSpace": 0xa001, "PixelXDimension": 0xa002, "PixelYDimension": 0xa003,
    ]

    /// Parses `1 (Top-left, Short, 1 components, 2 bytes)`: in brackets is the readable value, after the stored one.
    ///
    /// Text values can contain brackets and commas; the number of components gives their length.
    static func field(_ text: String) -> ExifField? {
        guard text.hasSuffix(")") else { return nil }
        var parts = text.dropLast().split(separator: ", ", omittingEmptySubsequences: false)
        guard parts.count >= 4, let type = types[String(parts[parts.count - 3])],
            let count = parts[parts.count - 2].split(separator: " ").first.flatMap({ Int($0) }), count >= 0
        else { return nil }
        parts.removeLast(3)
        let both = Substring(parts.joined(separator: ", "))
        let bracket = type == 2 ? bracket(in: both, afterBytes: count - 1) : both.firstRange(of: " (")
        guard let bracket else { return nil }
        return ExifField(type: type, value: String(both[bracket.upperBound...]))
    }

    /// The range before the readable form, after a stored value of this length; shorter values are padded or end early.
    private static func bracket(in text: Substring, afterBytes count: Int) -> Range<Substring.Index>? {
        let end = text.utf8.index(text.startIndex, offsetBy: max(0, count), limitedBy: text.endIndex)
        if let end, text[end...].hasPrefix(" (") { return end..<text.index(end, offsetBy: 2) }
        return text.firstRange(of: " (")
    }
}

extension StringProtocol {
    /// The part before the first zero, as C reads a string.
    fileprivate var untilZero: Substring { Substring(String(self).unicodeScalars.prefix { $0.value != 0 }) }
}
