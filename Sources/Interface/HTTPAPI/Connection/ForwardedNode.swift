internal import Domain

/// Reads the addresses in `X-Forwarded-For` and `Forwarded` (RFC 7239).
enum ForwardedNode {
    /// The address of one node: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`.
    ///
    /// `nil` for other nodes, such as `unknown` and names that hide an address.
    static func address(_ text: Substring) -> IPAddress? {
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

    /// The address of each element of `Forwarded`, in order; `nil` for an element without one.
    ///
    /// One element with `nil` stands for a malformed field, because nothing in it can be told apart.
    static func addresses(inElements field: String) -> [IPAddress?] {
        guard let elements = split(field[...], at: ",") else { return [nil] }
        return elements.map { element in
            let nodes = (split(element, at: ";") ?? []).compactMap { pair -> Substring? in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].withoutBlanks.lowercased() == "for" else { return nil }
                return parts[1].withoutBlanks
            }
            // RFC 7239 section 4 allows each parameter once.
            guard nodes.count == 1, let node = nodes.first else { return nil }
            return address(node.withoutQuotes)
        }
    }

    /// The parts between separators that are not in quotes; `nil` if a quote is not closed.
    private static func split(_ text: Substring, at separator: Character) -> [Substring]? {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        for index in text.indices {
            if text[index] == "\"" {
                isQuoted.toggle()
            } else if text[index] == separator, !isQuoted {
                parts.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        return isQuoted ? nil : parts + [text[start...]]
    }

    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        return text.first == ":" && (1...5).contains(digits.count) && digits.allSatisfy { $0.isASCII && $0.isNumber }
    }
}

extension Substring {
    /// The content of a quoted string; an address needs no escapes.
    fileprivate var withoutQuotes: Substring {
        count >= 2 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self
    }
}
