/// Finds the members of an object, or the elements of an array, in a text from outside, without making values.
///
/// It checks the grammar of everything that it passes, but for two rules that need values: members that stand twice, and
/// numbers that are too large. Its memory does not grow with the text. Used only while the buffer it was given is there.
package struct JSONScanner {
    private var lexer: JSONLexer
    private let field: String
    private let depth: Int
    private var isFirst = true

    /// One member of an object.
    package struct Member {
        /// The offset of the comma before the member; nil for the first one.
        package let comma: Int?
        /// The name, without quotes and escapes.
        package let name: String
        /// From the name's first quote to the end of the value.
        package let whole: Range<Int>
        /// The value.
        package let value: Range<Int>
    }

    /// - Parameters:
    ///   - text: UTF-8.
    ///   - offset: Where the object or array begins; blanks may stand before it.
    ///   - field: What the text is, for the sentence of an error.
    ///   - depth: How many arrays and objects may stand inside each other.
    package init(
        _ text: UnsafeBufferPointer<UInt8>,
        at offset: Int = 0,
        field: String,
        depth: Int = JSONValue.deepest
    ) {
        lexer = JSONLexer(text, at: offset)
        self.field = field
        self.depth = depth
    }

    /// Enters the object or array that stands here; returns false if something else does.
    ///
    /// - Parameter mark: `{` or `[`.
    package mutating func enter(_ mark: Unicode.Scalar) -> Bool {
        lexer.take(mark)
    }

    /// The next member of the object that was entered; nil behind the last one.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field.
    package mutating func nextMember() throws -> Member? {
        do {
            let isFirst = isFirst
            guard let comma = try separator(end: "}") else { return nil }
            try lexer.requireName()
            let start = lexer.position
            let name = try lexer.string()
            try lexer.requireColon()
            let value = try lexer.skipValue(depth: depth - 1)
            return Member(comma: isFirst ? nil : comma, name: name, whole: start..<value.upperBound, value: value)
        } catch {
            throw error.refusal(of: field, at: lexer.position)
        }
    }

    /// The next element of the array that was entered; nil behind the last one.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field.
    package mutating func nextElement() throws -> Range<Int>? {
        do {
            guard try separator(end: "]") != nil else { return nil }
            return try lexer.skipValue(depth: depth - 1)
        } catch {
            throw error.refusal(of: field, at: lexer.position)
        }
    }

    /// Checks that nothing but blanks follows.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field.
    package mutating func requireEnd() throws {
        lexer.skipBlanks()
        guard lexer.isAtEnd else {
            throw JSONFault.malformed("something follows the value").refusal(of: field, at: lexer.position)
        }
    }

    /// Skips the comma before a member or element and returns its offset, which means nothing for the first one; nil at
    /// the end, which is skipped as well.
    private mutating func separator(end: Unicode.Scalar) throws(JSONFault) -> Int? {
        if isFirst {
            isFirst = false
            return lexer.take(end) ? nil : lexer.position
        }
        lexer.skipBlanks()
        let comma = lexer.position
        if lexer.take(",") { return comma }
        guard lexer.take(end) else { throw .malformed("a comma or '\(end)' is missing") }
        return nil
    }
}

extension JSONLexer {
    /// Skips blanks and a value; returns where the value stands.
    ///
    /// - Parameter depth: How many arrays and objects may stand inside each other.
    fileprivate mutating func skipValue(depth: Int) throws(JSONFault) -> Range<Int> {
        skipBlanks()
        let start = position
        try skip(depth: depth)
        return start..<position
    }

    private mutating func skip(depth: Int) throws(JSONFault) {
        guard depth >= 0 else { throw .malformed("too many levels") }
        skipBlanks()
        switch current {
        case UInt8(ascii: "{"):
            position += 1
            if take("}") { return }
            repeat {
                try requireName()
                try skipString()
                try requireColon()
                try skip(depth: depth - 1)
            } while take(",")
            guard take("}") else { throw .malformed("a comma or '}' is missing") }
        case UInt8(ascii: "["):
            position += 1
            if take("]") { return }
            repeat { try skip(depth: depth - 1) } while take(",")
            guard take("]") else { throw .malformed("a comma or ']' is missing") }
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try skipWord("true")
        case UInt8(ascii: "f"): try skipWord("false")
        case UInt8(ascii: "n"): try skipWord("null")
        default: _ = try skipNumber()
        }
    }
}
