extension JSONValue {
    /// The maximum nesting of arrays and objects in a client's text and in an object.
    package static let maxDepth = 100

    /// The maximum nesting of stored values: more than requests can have, so that stored values can always be read.
    package static let deepestStored = 300

    /// The default maximum number of values in a client's text: more than an object of 128 KB can have.
    package static let maxValues = 100_000

    /// Parses a JSON text (RFC 8259) in time proportional to its length.
    ///
    /// Foundation's decoder takes seconds for a few nested kilobytes, because it tries each type in turn at every
    /// level. A duplicate member is refused: code could check one of the two and use the other.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - field: The name of the input, for error messages.
    ///   - depth: The maximum nesting of arrays and objects.
    ///   - values: The maximum number of values; a client's text needs a limit.
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field; ``ServiceError/Code/payloadTooLarge`` for more
    ///   values than the limit.
    package init(parsing text: [UInt8], field: String, depth: Int = maxDepth, values: Int = .max) throws {
        self = try text.withUnsafeBufferPointer { text in
            try JSONValue.parse(text, field: field, depth: depth, values: values).value
        }
    }

    /// Parses a part of a larger text, and estimates the memory of the value.
    ///
    /// - Parameters:
    ///   - text: UTF-8; used only until the function returns.
    ///   - range: The range of the value in the text; `nil` means the whole text.
    ///   - field: The name of the input, for error messages, which count bytes from its beginning.
    ///   - depth: The maximum nesting of arrays and objects.
    ///   - values: The maximum number of values.
    ///   - reserve: Called with each further part of the estimated memory before the values take it; an error that it
    ///     returns ends the parsing. The last part, of less than ``reservedPart`` bytes, is not reserved.
    /// - Returns: The value, and the estimated memory in bytes of the value and one changed copy of it.
    /// - Throws: As ``init(parsing:field:depth:values:)``.
    package static func parse(
        _ text: UnsafeBufferPointer<UInt8>,
        in range: Range<Int>? = nil,
        field: String,
        depth: Int = maxDepth,
        values: Int,
        reserving reserve: ((Int) -> ServiceError?)? = nil
    ) throws -> (value: JSONValue, memory: Int) {
        let range = range ?? 0..<text.count
        let lexer = JSONLexer(UnsafeBufferPointer(rebasing: text[..<range.upperBound]), at: range.lowerBound)
        var parser = JSONParser(lexer, maxDepth: depth, values: values, reserving: reserve)
        do {
            return (try parser.document(), parser.memory)
        } catch {
            throw error.refusal(of: field, at: parser.position)
        }
    }

    /// The number of bytes that the parser reserves at a time.
    package static let reservedPart = 256 << 10

    /// The nesting of arrays and objects.
    package var depth: Int {
        switch self {
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.values.map(\.depth).max() ?? 0)
        default: 0
        }
    }
}

/// Creates the values of one text; valid only as long as its buffer.
///
/// It parses every row that a query reads, so it reads each byte once and creates strings without an intermediate copy.
private struct JSONParser {
    private var lexer: JSONLexer
    private let maxDepth: Int
    private let maxValues: Int
    private let reserve: ((Int) -> ServiceError?)?
    private var reserved = 0
    private var values = 0
    /// The estimated memory in bytes of the values so far and one changed copy of them.
    ///
    /// Measured with jemalloc: an element of an array takes 24 bytes, up to twice that where the array has grown; a
    /// member takes 40 bytes in storage of a power of two that is at most three quarters full.
    private(set) var memory = 0

    init(_ lexer: JSONLexer, maxDepth: Int, values: Int, reserving reserve: ((Int) -> ServiceError?)?) {
        self.reserve = reserve
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

    private mutating func count(_ bytes: Int) throws(JSONFault) {
        memory += bytes
        guard memory - reserved >= JSONValue.reservedPart, let reserve else { return }
        if let refusal = reserve(memory - reserved) { throw .refused(refusal) }
        reserved = memory
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
        var known = 0
        var members: [String: JSONValue] = [:]
        members.reserveCapacity(depth == 0 ? 12 : 3)
        try count(144 + 2 * 160)
        repeat {
            if known >= 2 { try count(160) }
            try lexer.requireName()
            let name = try string()
            try lexer.requireColon()
            let value = try value(depth: depth + 1)
            members[name] = value
            known += 1
            guard members.count == known else { throw .malformed("the member '\(name.prefix(64))' occurs twice") }
        } while lexer.take(",")
        guard lexer.take("}") else { throw .malformed("a comma or '}' is missing") }
        return members
    }

    private mutating func array(_ depth: Int) throws(JSONFault) -> [JSONValue] {
        var elements: [JSONValue] = []
        lexer.position += 1
        if lexer.take("]") { return elements }
        try count(64)
        repeat {
            try count(60)
            elements.append(try value(depth: depth + 1))
        } while lexer.take(",")
        guard lexer.take("]") else { throw .malformed("a comma or ']' is missing") }
        return elements
    }

    private mutating func string() throws(JSONFault) -> String {
        let string = try lexer.string()
        // Swift stores shorter strings inline.
        let length = string.utf8.count
        if length > 15 { try count(48 + length) }
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
