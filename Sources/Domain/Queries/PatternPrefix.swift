extension Pattern {
    /// The common prefix of all strings that the expression matches.
    ///
    /// SDKs write "begins with" as `^\Qabc\E` (protocol/data 4.1). An index evaluates it as a range of strings.
    package struct Prefix: Sendable, Hashable {
        /// The prefix; not empty.
        package let text: String
        /// Whether every string with the prefix matches, so that the expression need not run.
        package let isAll: Bool

        /// The first string after all strings with the prefix, in the order of UTF-8 bytes; `nil` if there is none.
        package var end: String? {
            var scalars = Array(text.unicodeScalars)
            while let last = scalars.popLast() {
                // Surrogates are not scalars: U+E000 follows U+D7FF.
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
        // With `i` a letter matches several characters, with `m` a match can begin at any line, with `x` blanks are
        // ignored.
        guard !options.contains(where: { "imx".contains($0) }), text.hasPrefix("^") else { return nil }
        var scan = LiteralScan(text.unicodeScalars.dropFirst())
        guard scan.run() else { return nil }
        let literal = String(String.UnicodeScalarView(scan.literal))
        return literal.isEmpty ? nil : Prefix(text: literal, isAll: scan.isAtEnd)
    }
}

/// A scan of the literal characters at the start of an expression.
private struct LiteralScan {
    private var rest: Substring.UnicodeScalarView
    private(set) var literal: [Unicode.Scalar] = []

    init(_ text: Substring.UnicodeScalarView) {
        rest = text
    }

    /// Whether the whole expression is literal.
    var isAtEnd: Bool { rest.isEmpty }

    /// Scans to the first character that is not literal; returns `false` if the rest can cancel the literals.
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
        // A quantifier can make the last character optional, and another branch has another prefix.
        if let next = rest.first, "?*+{".unicodeScalars.contains(next), !literal.isEmpty { literal.removeLast() }
        return !rest.contains("|")
    }
}

extension Unicode.Scalar {
    /// Whether it is ASCII and neither a letter nor a digit: after a backslash it is literal.
    fileprivate var isPunctuation: Bool {
        isASCII && !properties.isAlphabetic && !("0"..."9").contains(self) && value > 0x20 && value < 0x7f
    }
}
