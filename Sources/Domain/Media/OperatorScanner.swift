/// Scans the segments of one operator from left to right.
struct OperatorScanner {
    /// The operator's name, the first segment; can be empty.
    let name: Substring
    private var rest: ArraySlice<Substring>
    private var seen: Set<Substring> = []

    /// Creates a scanner for an operator, not percent-encoded; ignores one trailing slash.
    init(_ text: Substring) {
        var segments = text.segments(between: "/")[...]
        name = segments.popFirst() ?? ""
        if segments.last == "" { segments.removeLast() }
        rest = segments
    }

    /// The next segment, or `nil` at the end.
    mutating func next() -> Substring? { rest.popFirst() }

    /// Reads the value of a parameter, which is the next segment.
    ///
    /// - Parameters:
    ///   - parameter: A known name that was just read.
    ///   - repeats: Whether it can occur several times.
    ///   - alias: Another name of the same parameter; only one of both can occur.
    /// - Returns: The parameter with its value, which is not empty.
    /// - Throws: The error for a parameter without a value, or for a duplicate one.
    mutating func parameter(
        _ parameter: Substring,
        repeats: Bool = false,
        as alias: Substring? = nil
    ) throws -> ImageParameter {
        if !repeats { try once(alias ?? parameter) }
        guard let value = rest.popFirst(), !value.isEmpty else {
            throw ImageRequest.refusal("'\(parameter)' has no value")
        }
        return ImageParameter(name: parameter, value: value)
    }

    /// Records a parameter that can occur only once.
    mutating func once(_ parameter: Substring) throws {
        guard seen.insert(parameter).inserted else {
            throw ImageRequest.refusal("'\(parameter)' occurs twice in '\(name)'")
        }
    }

    /// The error for an unknown parameter of the operator.
    func unknown(_ parameter: Substring) -> ServiceError {
        ImageRequest.refusal(
            parameter.isEmpty
                ? "an empty parameter in '\(name)'" : "unknown parameter '\(parameter.excerpt)' in '\(name)'"
        )
    }
}

extension Substring {
    /// The parts between separators, including empty ones.
    ///
    /// Splits at bytes: as characters, a combining mark after a separator would hide the separator.
    func segments(between separator: Unicode.Scalar, maxSplits: Int = .max) -> [Substring] {
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

    /// The string with a space in place of each line break and each control character.
    var withoutControlCharacters: String {
        guard hasControlCharacters else { return String(self) }
        var text = String.UnicodeScalarView()
        var isBehindReturn = false
        for scalar in unicodeScalars {
            // CR LF is one line break.
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
