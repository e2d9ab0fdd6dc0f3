/// Splits a CQL statement into tokens, in time proportional to its length.
struct CQLScanner {
    private let text: [Unicode.Scalar]
    private var index = 0
    private var line = 1
    private var column = 1

    /// The maximum length of a statement in bytes (protocol/data 4.7).
    static let maxLength = 4096

    /// The tokens of a statement; the last is the end.
    ///
    /// Throws ``ServiceError/Code/cqlSyntax`` for a statement that is too long, a string without its end, a malformed
    /// escape and a character that begins no token.
    static func tokens(of text: String) throws -> [CQLToken] {
        guard text.utf8.count <= maxLength else {
            throw ServiceError(
                .cqlSyntax,
                "CQL syntax error.Detail: the statement has \(text.utf8.count) bytes; the limit is \(maxLength)."
            )
        }
        var scanner = CQLScanner(text: Array(text.unicodeScalars))
        var tokens: [CQLToken] = []
        repeat { tokens.append(try scanner.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private init(text: [Unicode.Scalar]) {
        self.text = text
    }

    private var current: Unicode.Scalar? { index < text.count ? text[index] : nil }

    private func peek(_ distance: Int) -> Unicode.Scalar? {
        index + distance < text.count ? text[index + distance] : nil
    }

    private mutating func advance() {
        if text[index] == "\n" {
            line += 1
            column = 1
        } else {
            column += 1
        }
        index += 1
    }

    private func refusal(_ what: String) -> ServiceError {
        CQLToken.refusal(line: line, column: column, what)
    }

    private mutating func next() throws -> CQLToken {
        while let scalar = current, scalar.properties.isWhitespace { advance() }
        let (line, column) = (line, column)
        return CQLToken(kind: try kind(), line: line, column: column)
    }

    private mutating func kind() throws -> CQLToken.Kind {
        guard let first = current else { return .end }
        switch first {
        case "'", "\"": return .string(try string(quote: first))
        case _ where first.isDigit: return numberOrWord()
        case _ where first.isWordPart: return .word(word())
        default: return .symbol(try symbol(first))
        }
    }

    /// A name with its path; a dot belongs to it if a name follows.
    private mutating func word() -> String {
        var word = String.UnicodeScalarView()
        while let scalar = current, scalar.isWordPart || (scalar == "." && peek(1)?.isWordPart == true) {
            word.append(scalar)
            advance()
        }
        return String(word)
    }

    /// A number; names of fields can begin with digits too.
    private mutating func numberOrWord() -> CQLToken.Kind {
        let start = self
        var number = digits()
        if current == ".", peek(1)?.isDigit == true {
            advance()
            number += "." + digits()
        }
        if current == "e" || current == "E" {
            let hasSign = peek(1) == "+" || peek(1) == "-"
            if peek(hasSign ? 2 : 1)?.isDigit == true {
                advance()
                number += "e"
                if hasSign, let sign = current {
                    number.unicodeScalars.append(sign)
                    advance()
                }
                number += digits()
            }
        }
        guard current?.isWordPart == true else { return .number(number) }
        self = start
        return .word(word())
    }

    private mutating func digits() -> String {
        var digits = ""
        while let scalar = current, scalar.isDigit {
            digits.unicodeScalars.append(scalar)
            advance()
        }
        return digits
    }

    private mutating func symbol(_ first: Unicode.Scalar) throws -> String {
        let pair = peek(1).map { "\(first)\($0)" } ?? ""
        if ["!=", "<>", "<=", ">="].contains(pair) {
            advance()
            advance()
            return pair
        }
        guard "(),*?[]{}:=<>+-".unicodeScalars.contains(first) else {
            throw refusal("unexpected character '\(first)'")
        }
        advance()
        return String(first)
    }

    /// A string in quotes; two quotes stand for one, and escapes are those of JSON.
    ///
    /// A backslash before another character stays, so that regular expressions need not be escaped twice.
    private mutating func string(quote: Unicode.Scalar) throws -> String {
        let start = (line, column)
        advance()
        var string = String.UnicodeScalarView()
        while let scalar = current {
            if scalar == "\\" {
                try escape(into: &string)
                continue
            }
            if scalar == quote {
                advance()
                guard current == quote else { return String(string) }
            }
            string.append(scalar)
            advance()
        }
        throw CQLToken.refusal(line: start.0, column: start.1, "the string has no end")
    }

    private mutating func escape(into string: inout String.UnicodeScalarView) throws {
        guard let letter = peek(1) else { throw refusal("the string has no end") }
        if letter == "u" {
            string.append(try escapedScalar())
            return
        }
        advance()
        advance()
        if let scalar = CQLScanner.escapes[letter] {
            string.append(scalar)
        } else {
            string.append("\\")
            string.append(letter)
        }
    }

    /// The scalar of `\uXXXX`, or of two surrogates in a row.
    private mutating func escapedScalar() throws -> Unicode.Scalar {
        guard let unit = codeUnit(at: 2) else { throw refusal("'\\u' needs four hexadecimal digits") }
        if let scalar = Unicode.Scalar(unit) {
            for _ in 0..<6 { advance() }
            return scalar
        }
        guard unit < 0xdc00, peek(6) == "\\", peek(7) == "u", let low = codeUnit(at: 8),
            (0xdc00...0xdfff).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
        else { throw refusal("half of a surrogate pair") }
        for _ in 0..<12 { advance() }
        return scalar
    }

    private func codeUnit(at distance: Int) -> UInt32? {
        var unit: UInt32 = 0
        for offset in distance..<distance + 4 {
            guard let scalar = peek(offset), scalar.isASCII, let digit = hexadecimalValue(UInt8(scalar.value)) else {
                return nil
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
        "\\": "\\", "/": "/", "'": "'", "\"": "\"", "n": "\n", "r": "\r", "t": "\t", "b": "\u{8}", "f": "\u{c}",
    ]
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }

    /// Whether names can contain the character; which of them are valid, the rules of classes and fields decide.
    fileprivate var isWordPart: Bool {
        if isASCII { return UInt8(value).isASCIIAlphanumeric || self == "_" }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber, .letterNumber:
            return true
        default:
            return false
        }
    }
}
