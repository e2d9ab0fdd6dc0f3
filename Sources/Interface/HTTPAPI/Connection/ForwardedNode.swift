internal import Domain

/// Reads the addresses in `X-Forwarded-For` and `Forwarded` (RFC 7239).
///
/// A client can send the beginning of these fields, to which a proxy adds an element. So they are split by bytes: for
/// Swift a comma is part of the `Character` of some scalars before it, such as U+0600.
enum ForwardedNode {
    /// The address of one node: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`.
    ///
    /// `nil` for other nodes, such as `unknown`, names that hide an address, and strings with other bytes than ASCII.
    static func address(_ text: Substring) -> IPAddress? {
        guard text.isASCII else { return nil }
        var node = text.withoutBlanks
        if node.hasPrefix("[") {
            guard let end = node.firstIndex(of: "]") else { return nil }
            let port = node[node.index(after: end)...]
            guard port.isEmpty || isPort(port) else { return nil }
            node = node[node.index(after: node.startIndex)..<end]
            guard node.contains(":") else { return nil }
        } else if let colon = node.firstIndex(of: ":"), node.lastIndex(of: ":") == colon {
            guard isPort(node[colon...]) else { return nil }
            node = node[..<colon]
        }
        return ClientAddress.address(of: String(node))
    }

    /// The address of each element of `X-Forwarded-For`, in order; `nil` for an element without one.
    static func addresses(inList field: String) -> [IPAddress?] {
        field.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { element in
            address(Substring(element))
        }
    }

    /// The address of each element of `Forwarded`, in order; `nil` for an element without one.
    static func addresses(inElements field: String) -> [IPAddress?] {
        split(field[...], at: UInt8(ascii: ",")).map { element -> IPAddress? in
            guard let element, element.isASCII else { return nil }
            let nodes = split(element, at: UInt8(ascii: ";")).compactMap { pair -> Substring? in
                guard let pair else { return nil }
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].withoutBlanks.lowercased() == "for" else { return nil }
                return parts[1].withoutBlanks
            }
            // RFC 7239 section 4 allows each parameter once.
            guard nodes.count == 1, let node = nodes.first else { return nil }
            return address(node.withoutQuotes)
        }
    }

    /// The parts between separators that are not in quotes, in order; the first one is `nil` if a quote is not closed.
    ///
    /// Read from the end, where a proxy added its element: a quote that the client did not close does not contain it.
    private static func split(_ text: Substring, at separator: UInt8) -> [Substring?] {
        let bytes = text.utf8
        var parts: [Substring?] = []
        var end = bytes.endIndex
        var isQuoted = false
        for index in bytes.indices.reversed() {
            if bytes[index] == UInt8(ascii: "\"") {
                if !isEscaped(bytes[..<index]) { isQuoted.toggle() }
            } else if bytes[index] == separator, !isQuoted {
                parts.append(Substring(bytes[bytes.index(after: index)..<end]))
                end = index
            }
        }
        parts.append(isQuoted ? nil : Substring(bytes[..<end]))
        return parts.reversed()
    }

    /// Whether the byte after these is the second one of a quoted pair (RFC 9110 section 5.6.4).
    private static func isEscaped(_ before: Substring.UTF8View) -> Bool {
        let backslashes = before.reversed().prefix { $0 == UInt8(ascii: "\\") }
        return !backslashes.count.isMultiple(of: 2)
    }

    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        return text.first == ":" && (1...5).contains(digits.count) && digits.allSatisfy { $0.isASCII && $0.isNumber }
    }
}

extension Substring {
    fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

    /// The content of a quoted string; an address needs no escapes.
    fileprivate var withoutQuotes: Substring {
        count >= 2 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self
    }
}
