/// The segments of one operator, read from left to right.
struct ImageWords {
    /// The operator's own, the first one; perhaps empty.
    let name: Substring
    private var rest: ArraySlice<Substring>
    private var seen: Set<Substring> = []

    /// Takes an operator's text, not percent-encoded; one slash at the end is passed over.
    init(_ text: Substring) {
        var words = text.words(between: "/")[...]
        name = words.popFirst() ?? ""
        if words.last == "" { words.removeLast() }
        rest = words
    }

    /// The next segment, or `nil` at the end.
    mutating func next() -> Substring? { rest.popFirst() }

    /// The parameter with its value, which is the next segment.
    ///
    /// - Parameters:
    ///   - word: A known name that was just read.
    ///   - repeats: Whether it may stand several times.
    ///   - alias: Another name of the same parameter, so that only one of both can occur.
    /// - Returns: Both, the value never empty.
    /// - Throws: The error for a parameter without a value, or for a duplicate one.
    mutating func parameter(
        _ word: Substring,
        repeats: Bool = false,
        as alias: Substring? = nil
    ) throws -> ImageParameter {
        if !repeats { try once(alias ?? word) }
        guard let value = rest.popFirst(), !value.isEmpty else {
            throw ImageRequest.refusal("'\(word)' has no value")
        }
        return ImageParameter(name: word, value: value)
    }

    /// Records a parameter that can occur only once.
    mutating func once(_ word: Substring) throws {
        guard seen.insert(word).inserted else { throw ImageRequest.refusal("'\(word)' occurs twice in '\(name)'") }
    }

    /// The error for an unknown parameter of the operator.
    func unknown(_ word: Substring) -> ServiceError {
        ImageRequest.refusal(
            word.isEmpty ? "an empty parameter in '\(name)'" : "unknown parameter '\(word.excerpt)' in '\(name)'"
        )
    }
}

extension Substring {
    /// The parts between separators, empty ones included.
    ///
    /// Bytes are compared: a combining character behind a separator would else hide it.
    func words(between separator: Unicode.Scalar, maxSplits: Int = .max) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator), maxSplits: maxSplits, omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// The part of a client's string that an error quotes.
    var excerpt: String {
        let shown = unicodeScalars.prefix(40)
        var text = String(Substring(shown).withoutControlCharacters)
        if shown.endIndex != endIndex { text += "…" }
        return text
    }

    /// The text in one line: a blank for each line break, and for each control character.
    var withoutControlCharacters: String {
        guard hasControlCharacters else { return String(self) }
        var text = String.UnicodeScalarView()
        var isBehindReturn = false
        for scalar in unicodeScalars {
            // Both of CR LF are one line break.
            if !(isBehindReturn && scalar == "\n") { text.append(scalar.isControl ? " " : scalar) }
            isBehindReturn = scalar == "\r"
        }
        return String(text)
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}
