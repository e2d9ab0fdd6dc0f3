/// The URL of a file on another server: http or https, as the client wrote it.
///
/// It is stored and shown unchanged; to connect to it, use ``requestText``. It does not check the address to which it
/// resolves: the ``AddressGuard`` does, when the connection is opened. The string is split at bytes, never at
/// characters, because a slash and a following combining accent are one character.
package struct RemoteURL: Hashable, Sendable, CustomStringConvertible {
    /// The URL as the client sent it.
    package let description: String

    /// The maximum length in bytes of UTF-8.
    package static let maxLength = 4096

    /// Checks a URL from a client.
    ///
    /// It can contain spaces, because apps do not always encode the names in the URLs of their files.
    ///
    /// - Parameter text: The client's string; spaces at both ends are dropped.
    /// - Throws: ``ServiceError/Code/badRequest`` with the violated rule.
    package init(_ text: String) throws {
        var bytes = text.utf8[...]
        while bytes.first == UInt8(ascii: " ") { bytes.removeFirst() }
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.count <= RemoteURL.maxLength else {
            throw RemoteURL.refusal("must have at most \(RemoteURL.maxLength) bytes")
        }
        guard !text.hasControlCharacters, !text.utf8.contains(UInt8(ascii: "\\")),
            !text.unicodeScalars.contains(where: { $0 == "\u{85}" || $0 == "\u{2028}" || $0 == "\u{2029}" })
        else {
            throw RemoteURL.refusal("must not contain control characters, ends of lines or backslashes")
        }
        guard let parts = URLParts(text) else { throw RemoteURL.refusal("must begin with http:// or https://") }
        guard !parts.authority.contains(UInt8(ascii: "@")) else {
            throw RemoteURL.refusal("must not contain a user name or a password")
        }
        guard parts.hasHost else { throw RemoteURL.refusal("must have a valid host, and a valid port if any") }
        description = text
    }

    /// The URL for connecting: ASCII only, without the fragment.
    ///
    /// Throws ``ServiceError/Code/badRequest`` if the host contains non-ASCII characters.
    package var requestText: String {
        get throws {
            guard URLParts(description)?.authority.allSatisfy({ $0 < 0x80 }) == true else {
                throw RemoteURL.refusal("must have a host in ASCII to be fetched, such as xn--fiqs8s.example")
            }
            var text: [UInt8] = []
            for byte in description.utf8.prefix(while: { $0 != UInt8(ascii: "#") }) {
                if byte > 0x20, byte < 0x80 {
                    text.append(byte)
                } else {
                    text.append(UInt8(ascii: "%"))
                    text.append(contentsOf: [byte].hexadecimal.uppercased().utf8)
                }
            }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// The last segment of the path, percent-decoded; `nil` if it is not a valid file name.
    ///
    /// - Parameter limit: The maximum length of a file's name in bytes of UTF-8.
    /// - Returns: The segment.
    package func lastPathSegment(limit: Int) -> String? {
        guard let path = URLParts(description)?.path, let slash = path.lastIndex(of: UInt8(ascii: "/")) else {
            return nil
        }
        let segment = String(decoding: path[path.index(after: slash)...], as: UTF8.self)
        guard let decoded = segment.percentDecoded else { return nil }
        return (try? FileName(decoded, limit: limit))?.description
    }

    private static func refusal(_ rule: String) -> ServiceError {
        ServiceError(.badRequest, "url \(rule).")
    }
}

/// The relevant parts of a URL.
private struct URLParts {
    /// The part between `//` and the path.
    let authority: Substring.UTF8View
    /// Empty, or from its first slash to its end, without query and fragment.
    let path: Substring.UTF8View

    /// Parses a string that begins with `http://` or `https://` in any case; `nil` for other strings.
    init?(_ text: String) {
        let scheme = ["http://", "https://"].first { scheme in
            String(decoding: text.utf8.prefix(scheme.utf8.count), as: UTF8.self).lowercased() == scheme
        }
        guard let scheme else { return nil }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        authority = rest.prefix { !"/?#".utf8.contains($0) }
        path = rest.dropFirst(authority.count).prefix { !"?#".utf8.contains($0) }
    }

    /// Whether the authority is a host with an optional port.
    var hasHost: Bool {
        guard authority.first == UInt8(ascii: "[") else {
            let host = authority.prefix { $0 != UInt8(ascii: ":") }
            return !host.isEmpty && host.allSatisfy(isOfHost) && isPort(authority.dropFirst(host.count))
        }
        let inside = authority.dropFirst().prefix { $0 != UInt8(ascii: "]") }
        let address = inside.prefix { $0 != UInt8(ascii: "%") }
        let zone = inside.dropFirst(address.count)
        let rest = authority.dropFirst(1 + inside.count)
        return IPAddress(String(decoding: address, as: UTF8.self))?.bytes.count == 16
            && zone.allSatisfy { $0.isURLUnreserved || $0 == UInt8(ascii: "%") }
            && rest.first == UInt8(ascii: "]") && isPort(rest.dropFirst())
    }
}

/// Letters, digits and the punctuation of host names; all non-ASCII bytes, which ``RemoteURL/requestText`` refuses.
private func isOfHost(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte.isASCIIAlphanumeric || "-._".utf8.contains(byte)
}

/// An empty string, a colon, or a colon and a number.
private func isPort(_ text: Substring.UTF8View) -> Bool {
    guard text.first == UInt8(ascii: ":") else { return text.isEmpty }
    let digits = text.dropFirst()
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return false }
    return digits.isEmpty || Int(String(decoding: digits, as: UTF8.self)).map { $0 <= 65_535 } == true
}
