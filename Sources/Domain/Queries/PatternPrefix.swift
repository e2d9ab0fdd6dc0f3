extension Pattern {
    /// What every string that the expression is found in begins with.
    ///
    /// SDKs write "begins with" as `^\Qabc\E` (protocol/data 4.1). As a range of strings an index answers it.
    package struct Prefix: Sendable, Hashable {
        /// The first bytes of the strings; not empty.
        package let text: String
        /// Whether the expression says nothing else, so that it need not run.
        package let isAll: Bool

        /// The first string behind all that begin with the prefix, by the bytes of UTF-8; `nil` if there is none.
        package var end: String? {
            var scalars = Array(text.unicodeScalars)
            while let last = scalars.popLast() {
                // Surrogates are no scalars: what follows U+D7FF is U+E000.
                let next = last.value == 0xd7ff ? 0xe000 : last.value + 1
                if let next = Unicode.Scalar(next) {
                    scalars.append(next)
                    return String(String.UnicodeScalarView(scalars))
                }
            }
            return nil
        }
    }

    /// The prefix of an expression that begins with `^` and literal characters; `nil` for all others.
    package var prefix: Prefix? {
        // With `i` a letter is several, with `m` a line may begin anywhere, with `x` blanks count for nothing.
        guard !options.contains(where: { "imx".contains($0) }), text.hasPrefix("^") else { return nil }
        var scan = LiteralScan(text.unicodeScalars.dropFirst())
        guard scan.run() else { return nil }
        let literal = String(String.UnicodeScalarView(scan.literal))
        return literal.isEmpty ? nil : Prefix(text: literal, isAll: scan.isAtEnd)
    }
}

/// Reads the literal characters that an expression begins with.
private struct LiteralScan {
    private var rest: Substring.UnicodeScalarView
    private(set) var literal: [Unicode.Scalar] = []

    init(_ text: Substring.UnicodeScalarView) {
        rest = text
    }

    /// Whether all of the expression is literal.
    var isAtEnd: Bool { rest.isEmpty }

    /// Reads up to the first character that is not literal; `false` if what follows may undo it.
    mutating func run() -> Bool {
        var isQuoted = false
        while let scalar = rest.first {
            if rest.starts(with: "\\E".unicodeScalars) {
                isQuoted = false
                rest = rest.dropFirst(2)
            } else if isQuoted {
                literal.append(scalar)
                rest = rest.dropFirst()
            } else if rest.starts(with: "\\Q".unicodeScalars) {
                isQuoted = true
                rest = rest.dropFirst(2)
            } else if scalar == "\\", let next = rest.dropFirst().first, next.isPunctuation {
                literal.append(next)
                rest = rest.dropFirst(2)
            } else if !"\\^$.[|()?*+{".unicodeScalars.contains(scalar) {
                literal.append(scalar)
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        // The last character may be repeated, also not at all, and another branch begins with something else.
        if let next = rest.first, "?*+{".unicodeScalars.contains(next), !literal.isEmpty { literal.removeLast() }
        return !rest.contains("|")
    }
}

extension Unicode.Scalar {
    /// ASCII, and neither a letter nor a digit: behind a backslash it stands for itself.
    fileprivate var isPunctuation: Bool {
        isASCII && !properties.isAlphabetic && !("0"..."9").contains(self) && value > 0x20 && value < 0x7f
    }
}
