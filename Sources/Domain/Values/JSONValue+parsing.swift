extension JSONValue {
    /// How many arrays and objects may stand inside each other in a text from outside, and in an object.
    package static let maxDepth = 100

    /// The same for stored values: more than requests can have, so that stored values can always be read.
    package static let deepestStored = 300

    /// How many values a text from outside may hold, if no setting says otherwise: more than an object of 128 KB can.
    package static let maxValues = 100_000

    /// Reads a JSON text (RFC 8259), in time that grows with its length alone.
    ///
    /// Foundation's decoder takes seconds for a few nested kilobytes, because every level asks for each type in turn,
    /// so the text is read here. A duplicate member is refused: code could check one of them and use the other.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - field: What the text is, for the message of an error.
    ///   - depth: How many arrays and objects may stand inside each other.
    ///   - values: How many values the text may hold; a text from outside needs a limit.
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field; ``ServiceError/Code/payloadTooLarge`` for more
    ///   values than the limit.
    package init(parsing text: [UInt8], field: String, depth: Int = maxDepth, values: Int = .max) throws {
        self = try text.withUnsafeBufferPointer { text in
            try JSONValue.parse(text, field: field, depth: depth, values: values).value
        }
    }

    /// Reads a part of a larger text, and estimates what the value takes in memory.
    ///
    /// - Parameters:
    ///   - text: UTF-8; used only until the function returns.
    ///   - range: Where the value stands in the text; nil means the whole text.
    ///   - field: The name of the input, for error messages, which count bytes from its beginning.
    ///   - depth: How many arrays and objects may stand inside each other.
    ///   - values: How many values the text may hold.
    /// - Returns: The value, and the bytes that it and one changed copy of it take, estimated.
    /// - Throws: As ``init(parsing:field:depth:values:)``.
    package static func parse(
        _ text: UnsafeBufferPointer<UInt8>,
        in range: Range<Int>? = nil,
        field: String,
        depth: Int = maxDepth,
        values: Int
    ) throws -> (value: JSONValue, memory: Int) {
        let range = range ?? 0..<text.count
        let lexer = JSONLexer(UnsafeBufferPointer(rebasing: text[..<range.upperBound]), at: range.lowerBound)
        var parser = JSONParser(lexer, maxDepth: depth, values: values)
        do {
            return (try parser.document(), parser.memory)
        } catch {
            throw error.refusal(of: field, at: parser.position)
        }
    }

    /// How many arrays and objects stand inside each other.
    package var depth: Int {
        switch self {
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.values.map(\.depth).max() ?? 0)
        default: 0
        }
    }
}

/// Makes the values of one text; used only while the buffer it was given is there.
///
/// Every row that a query reads passes here, so it looks at each byte once and makes strings without a copy between.
private struct JSONParser {
    private var lexer: JSONLexer
    private let maxDepth: Int
    private let maxValues: Int
    private var values = 0
    /// The bytes that the values so far and one changed copy of them take, estimated.
    ///
    /// Measured with jemalloc: an element of an array takes 24 bytes, up to twice that where the array has grown; a
    /// member takes 40 bytes in storage of a power of two that is at most three quarters full.
    private(set) var memory = 0

    init(_ lexer: JSONLexer, maxDepth: Int, values: Int) {
        self.lexer = lexer
        self.maxDepth = maxDepth
        maxValues = values
    }

    var position: Int { lexer.position }

    mutating func document() throws(JSONFault) -> JSONValue {
        let value = try value(depth: 0)
        lexer.skipBlanks()
        guard lexer.isAtEnd else { throw .malformed("something follows the value") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
        guard depth <= maxDepth else { throw .malformed("more than \(maxDepth) levels") }
        values += 1
        guard values <= maxValues else { throw .tooManyValues(maxValues) }
        lexer.skipBlanks()
        switch lexer.current {
        case UInt8(ascii: "{"): return .object(try object(depth))
        case UInt8(ascii: "["): return .array(try array(depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"):
            try lexer.skipLiteral("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try lexer.skipLiteral("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try lexer.skipLiteral("null")
            return .null
        default: return try number()
        }
    }

    private mutating func object(_ depth: Int) throws(JSONFault) -> [String: JSONValue] {
        lexer.position += 1
        if lexer.take("}") { return [:] }
        var count = 0
        var members: [String: JSONValue] = [:]
        members.reserveCapacity(depth == 0 ? 12 : 3)
        repeat {
            try lexer.requireName()
            let name = try string()
            try lexer.requireColon()
            let value = try value(depth: depth + 1)
            members[name] = value
            count += 1
            guard members.count == count else { throw .malformed("the member '\(name.prefix(64))' occurs twice") }
        } while lexer.take(",")
        guard lexer.take("}") else { throw .malformed("a comma or '}' is missing") }
        memory += 144 + 160 * max(count, 2)
        return members
    }

    private mutating func array(_ depth: Int) throws(JSONFault) -> [JSONValue] {
        var elements: [JSONValue] = []
        lexer.position += 1
        if lexer.take("]") { return elements }
        repeat { elements.append(try value(depth: depth + 1)) } while lexer.take(",")
        guard lexer.take("]") else { throw .malformed("a comma or ']' is missing") }
        memory += 64 + 60 * elements.count
        return elements
    }

    private mutating func string() throws(JSONFault) -> String {
        let string = try lexer.string()
        // Shorter ones need no storage of their own.
        let length = string.utf8.count
        if length > 15 { memory += 48 + length }
        return string
    }

    private mutating func number() throws(JSONFault) -> JSONValue {
        let start = lexer.position
        let isWhole = try lexer.skipNumber()
        let digits = lexer.string(from: start)
        if isWhole, let value = Int64(digits) { return .integer(value) }
        guard let value = Double(digits), value.isFinite else { throw .malformed("a number is too large") }
        return .number(value)
    }
}
