/// A media type: `image/png` (RFC 9110 section 8.3.1), in lower case.
///
/// Parameters are dropped: the C# SDK passes `mime_type` to a header class that refuses them (protocol/files 2.2), and
/// they make unverified claims about the bytes. Only imports keep a charset, because browsers cannot detect the encoding
/// of old text files. Two types are equal if they differ in their charset only.
package struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// `type/subtype` in lower case.
    package let description: String
    /// The charset in lower case: letters, digits and `-_.:+`; `nil` if the type has none.
    package let charset: String?

    /// Parses `type/subtype`, with or without parameters; `nil` for other strings, so the result is safe in a header.
    ///
    /// - Parameters:
    ///   - text: The value of a `Content-Type` header.
    ///   - keepsCharset: Whether a valid charset among the parameters is kept; an invalid one is dropped.
    package init?(_ text: String, keepingCharset keepsCharset: Bool = false) {
        let bare = text.utf8.prefix { $0 != UInt8(ascii: ";") }.drop(while: isBlank)
        let essence = bare.prefix(bare.count - bare.reversed().prefix(while: isBlank).count)
        let halves = essence.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard halves.count == 2, essence.count <= 127, halves.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isToken) })
        else { return nil }
        description = Substring(essence).lowercased()
        charset = keepsCharset ? MediaType.charset(in: text) : nil
    }

    private init(known: String) {
        description = known
        charset = nil
    }

    /// The value of a `Content-Type` header: `text/plain; charset=gbk`.
    package var headerValue: String { charset.map { "\(description); charset=\($0)" } ?? description }

    /// The type without its charset.
    package var essence: MediaType { MediaType(known: description) }

    /// Compares the types without their charsets.
    package static func == (left: MediaType, right: MediaType) -> Bool { left.description == right.description }

    /// Hashes the type without its charset.
    package func hash(into hasher: inout Hasher) { hasher.combine(description) }

    /// The first charset among the parameters of a header; its quotes are dropped.
    private static func charset(in text: String) -> String? {
        for parameter in text.utf8.split(separator: UInt8(ascii: ";")).dropFirst() {
            let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, trimmed(parts[0]).lowercased() == "charset" else { continue }
            let value = trimmed(parts[1])
            let isQuoted = value.count >= 2 && value.utf8.first == UInt8(ascii: "\"") && value.hasSuffix("\"")
            let name = isQuoted ? value.dropFirst().dropLast() : value
            return (1...40).contains(name.utf8.count) && name.utf8.allSatisfy(isCharset) ? name.lowercased() : nil
        }
        return nil
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring {
        let rest = bytes.drop(while: isBlank)
        return Substring(rest.prefix(rest.count - rest.reversed().prefix(while: isBlank).count))
    }

    /// The part before the slash: `image`.
    package var topLevel: Substring {
        description.prefix { $0 != "/" }
    }

    /// The type of bytes of unknown type.
    package static let octetStream = MediaType(known: "application/octet-stream")
    /// JPEG.
    package static let jpeg = MediaType(known: "image/jpeg")
    /// PNG.
    package static let png = MediaType(known: "image/png")
    /// WebP.
    package static let webp = MediaType(known: "image/webp")
    /// GIF.
    package static let gif = MediaType(known: "image/gif")
    /// AVIF.
    package static let avif = MediaType(known: "image/avif")
}

/// Whether the byte is a character of `OWS` in RFC 9110 section 5.6.3.
private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

/// Whether the byte occurs in names of charsets (RFC 2978 section 2.3, without quotes and braces).
private func isCharset(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "-_.:+".utf8.contains(byte)
}

/// Whether the byte is a `tchar` of RFC 9110 section 5.6.2.
private func isToken(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(byte)
}
