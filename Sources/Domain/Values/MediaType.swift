/// A media type without parameters: `image/png` (RFC 9110 section 8.3.1), in lower case.
///
/// Parameters are dropped: the C# SDK passes `mime_type` to a header class that refuses them (protocol/files 2.2), and
/// they make unverified claims about the bytes.
package struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// `type/subtype` in lower case.
    package let description: String

    /// Parses `type/subtype`, with or without parameters; `nil` for other strings, so the result is safe in a header.
    package init?(_ text: String) {
        let bare = text.utf8.prefix { $0 != UInt8(ascii: ";") }.drop(while: isBlank)
        let essence = bare.prefix(bare.count - bare.reversed().prefix(while: isBlank).count)
        let halves = essence.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard halves.count == 2, essence.count <= 127, halves.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isToken) })
        else { return nil }
        description = Substring(essence).lowercased()
    }

    private init(known: String) {
        description = known
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

/// Whether the byte is a `tchar` of RFC 9110 section 5.6.2.
private func isToken(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(byte)
}
