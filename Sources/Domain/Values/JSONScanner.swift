/// Scans a client's JSON text without creating values: it enters the objects and arrays that the caller selects, and
/// skips all other values.
///
/// It checks the grammar of everything that it passes, except two rules that need values: duplicate members, and
/// numbers that are too large. Its memory does not grow with the text. Valid only as long as its buffer.
package struct JSONScanner {
    private var lexer: JSONLexer
    private let field: String
    private let maxDepth: Int
    /// The number of objects and arrays that were entered and not left.
    private var depth = 0
    private var isFirst = true

    /// The name of a member, before its value.
    package struct Name {
        /// The offset of the comma before the member; `nil` for the first one.
        package let comma: Int?
        /// The offset of the name's first quote.
        package let start: Int
        /// The name, without quotes and escapes.
        package let text: String
    }

    /// - Parameters:
    ///   - text: UTF-8.
    ///   - field: The name of the input, for error messages.
    ///   - maxDepth: The maximum nesting of arrays and objects.
    package init(_ text: UnsafeBufferPointer<UInt8>, field: String, maxDepth: Int = JSONValue.maxDepth) {
        lexer = JSONLexer(text)
        self.field = field
        self.maxDepth = maxDepth
    }

    /// The offset after everything that was passed.
    package var offset: Int { lexer.position }

    /// Skips whitespace and returns the offset after it.
    package mutating func skipBlanks() -> Int {
        lexer.skipBlanks()
        return lexer.position
    }

    /// Enters the object or array at the current offset.
    ///
    /// - Parameter mark: `{` or `[`.
    /// - Returns: `false` if another value is next.
    package mutating func enter(_ mark: Unicode.Scalar) -> Bool {
        guard lexer.take(mark) else { return false }
        depth += 1
        isFirst = true
        return true
    }

    /// The name of the next member of the entered object; at its end leaves the object and returns `nil`.
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

    /// Whether the entered array has another element; at its end leaves the array.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field.
    package mutating func hasNextElement() throws -> Bool {
        try checked { scanner throws(JSONFault) in try scanner.separator(end: "]") != nil }
    }

    /// Skips the next value and returns its range.
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

    /// Skips the next of several values separated by commas and returns its range; for a part of an array that was
    /// already checked.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field.
    package mutating func skipListed() throws -> Range<Int> {
        _ = lexer.take(",")
        return try skipValue()
    }

    /// Checks that only whitespace follows.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field.
    package mutating func requireEnd() throws {
        try checked { scanner throws(JSONFault) in
            scanner.lexer.skipBlanks()
            guard scanner.lexer.isAtEnd else { throw .malformed("something follows the value") }
        }
    }

    /// Skips the comma before a member or element and returns its offset, which has no meaning for the first one.
    ///
    /// At the end, skips the closing mark and returns `nil`.
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
    /// Skips whitespace and a value with at most this nesting of arrays and objects.
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
