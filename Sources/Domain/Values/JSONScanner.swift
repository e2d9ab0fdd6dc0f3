/// Walks through a JSON text from outside without making values: it enters objects and arrays, and skips what it is not
/// told to enter.
///
/// It checks the grammar of everything that it passes, except two rules that need values: duplicate members, and
/// numbers that are too large. Its memory does not grow with the text. Used only while the buffer it was given is
/// there.
package struct JSONScanner {
    private var lexer: JSONLexer
    private let field: String
    private let maxDepth: Int
    /// How many objects and arrays were entered and not left.
    private var depth = 0
    private var isFirst = true

    /// The name of a member whose value comes next.
    package struct Name {
        /// The offset of the comma before the member; nil for the first one.
        package let comma: Int?
        /// The offset of the name's first quote.
        package let start: Int
        /// The name, without quotes and escapes.
        package let text: String
    }

    /// - Parameters:
    ///   - text: UTF-8.
    ///   - field: The name of the input, for error messages.
    ///   - maxDepth: How many arrays and objects may stand inside each other.
    package init(_ text: UnsafeBufferPointer<UInt8>, field: String, maxDepth: Int = JSONValue.maxDepth) {
        lexer = JSONLexer(text)
        self.field = field
        self.maxDepth = maxDepth
    }

    /// The offset behind all that was passed.
    package var offset: Int { lexer.position }

    /// Skips blanks, and returns the offset of what stands behind them.
    package mutating func skipBlanks() -> Int {
        lexer.skipBlanks()
        return lexer.position
    }

    /// Enters the object or array that stands here.
    ///
    /// - Parameter mark: `{` or `[`.
    /// - Returns: False if something else stands here.
    package mutating func enter(_ mark: Unicode.Scalar) -> Bool {
        guard lexer.take(mark) else { return false }
        depth += 1
        isFirst = true
        return true
    }

    /// The name of the next member of the object that was entered; nil at its end, where the object is left.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field.
    package mutating func nextName() throws -> Name? {
        try checked { scanner throws(JSONFault) in
            let wasFirst = scanner.isFirst
            guard let comma = try scanner.separator(end: "}") else { return nil }
            try scanner.lexer.requireName()
            let start = scanner.lexer.position
            let text = try scanner.lexer.string()
            try scanner.lexer.requireColon()
            return Name(comma: wasFirst ? nil : comma, start: start, text: text)
        }
    }

    /// Whether the array that was entered has one more element; at its end the array is left.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field.
    package mutating func hasNextElement() throws -> Bool {
        try checked { scanner throws(JSONFault) in try scanner.separator(end: "]") != nil }
    }

    /// Skips the value that stands here, and returns where it stands.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field.
    @discardableResult
    package mutating func skipValue() throws -> Range<Int> {
        try checked { scanner throws(JSONFault) in
            scanner.lexer.skipBlanks()
            let start = scanner.lexer.position
            try scanner.lexer.skip(levels: scanner.maxDepth - scanner.depth)
            return start..<scanner.lexer.position
        }
    }

    /// Skips the next of values that commas part, and returns where it stands: a part of an array that was checked
    /// before.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field.
    package mutating func skipListed() throws -> Range<Int> {
        _ = lexer.take(",")
        return try skipValue()
    }

    /// Checks that nothing but blanks follows.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field.
    package mutating func requireEnd() throws {
        try checked { scanner throws(JSONFault) in
            scanner.lexer.skipBlanks()
            guard scanner.lexer.isAtEnd else { throw .malformed("something follows the value") }
        }
    }

    /// Skips the comma before a member or element and returns its offset, which means nothing for the first one; nil at
    /// the end, which is skipped as well.
    private mutating func separator(end: Unicode.Scalar) throws(JSONFault) -> Int? {
        lexer.skipBlanks()
        let comma = lexer.position
        if isFirst {
            isFirst = false
            guard lexer.take(end) else { return comma }
        } else {
            if lexer.take(",") { return comma }
            guard lexer.take(end) else { throw .malformed("a comma or '\(end)' is missing") }
        }
        depth -= 1
        return nil
    }

    private mutating func checked<Value>(
        _ body: (inout JSONScanner) throws(JSONFault) -> Value
    ) throws -> Value {
        do {
            return try body(&self)
        } catch {
            throw error.refusal(of: field, at: lexer.position)
        }
    }
}

extension JSONLexer {
    /// Skips blanks and a value, in which so many arrays and objects may stand inside each other.
    fileprivate mutating func skip(levels: Int) throws(JSONFault) {
        guard levels >= 0 else { throw .malformed("too many levels") }
        skipBlanks()
        switch current {
        case UInt8(ascii: "{"):
            position += 1
            if take("}") { return }
            repeat {
                try requireName()
                try skipString()
                try requireColon()
                try skip(levels: levels - 1)
            } while take(",")
            guard take("}") else { throw .malformed("a comma or '}' is missing") }
        case UInt8(ascii: "["):
            position += 1
            if take("]") { return }
            repeat { try skip(levels: levels - 1) } while take(",")
            guard take("]") else { throw .malformed("a comma or ']' is missing") }
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try skipLiteral("true")
        case UInt8(ascii: "f"): try skipLiteral("false")
        case UInt8(ascii: "n"): try skipLiteral("null")
        default: _ = try skipNumber()
        }
    }
}
