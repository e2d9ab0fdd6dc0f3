internal import Domain

/// A part of a statement with its arguments, which are numbered when the whole statement is built.
struct SQL: ExpressibleByStringInterpolation {
    fileprivate enum Piece {
        case text(String)
        case argument([UInt8]?)
    }

    private var pieces: [Piece] = []

    init(stringLiteral text: String) {
        pieces = [.text(text)]
    }

    init(stringInterpolation parts: Parts) {
        pieces = parts.pieces
    }

    /// Creates a part from text without arguments.
    init(text: String) {
        pieces = [.text(text)]
    }

    /// Joins parts with a word between them.
    init(_ parts: [SQL], separator: String) {
        for (index, part) in parts.enumerated() {
            if index > 0 { pieces.append(.text(separator)) }
            pieces += part.pieces
        }
    }

    /// The text with `$1`, `$2` …, and the arguments.
    var built: (text: String, values: [[UInt8]?]) {
        var (text, values): (String, [[UInt8]?]) = ("", [])
        for piece in pieces {
            switch piece {
            case .text(let part): text += part
            case .argument(let value):
                values.append(value)
                text += "$\(values.count)"
            }
        }
        return (text, values)
    }

    /// The text with the arguments as constants, for people.
    var expanded: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .argument(let value): value.map { String(decoding: $0, as: UTF8.self).quotedText } ?? "NULL"
            }
        }.joined()
    }

    /// The parts of an interpolated literal: `\(sql: text)` is text, and every value an argument.
    struct Parts: StringInterpolationProtocol {
        fileprivate var pieces: [Piece] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            pieces.reserveCapacity(2 * interpolationCount + 1)
        }

        mutating func appendLiteral(_ text: String) {
            if !text.isEmpty { pieces.append(.text(text)) }
        }

        mutating func appendInterpolation(_ part: SQL) { pieces += part.pieces }

        mutating func appendInterpolation(sql text: String) { pieces.append(.text(text)) }

        mutating func appendInterpolation(_ value: String) {
            pieces.append(.argument(Array(value.utf8)))
            pieces.append(.text("::text"))
        }

        mutating func appendInterpolation(_ value: Int64) {
            pieces.append(.argument(Array("\(value)".utf8)))
            pieces.append(.text("::bigint"))
        }

        mutating func appendInterpolation(_ value: Double) {
            pieces.append(.argument(Array("\(value)".utf8)))
            pieces.append(.text("::float8"))
        }

        mutating func appendInterpolation(text value: [UInt8]?) {
            pieces.append(.argument(value))
            pieces.append(.text("::text"))
        }

        mutating func appendInterpolation(json value: [UInt8]) {
            pieces.append(.argument(value))
            pieces.append(.text("::jsonb"))
        }

        mutating func appendInterpolation(_ list: [String]) {
            pieces.append(.argument(SQL.array(list)))
            pieces.append(.text("::text[]"))
        }

        mutating func appendInterpolation(_ ids: some Collection<ObjectID>) {
            appendInterpolation(ids.map(\.description))
        }
    }

    /// A list in PostgreSQL's form of an array.
    private static func array(_ list: [String]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (index, element) in list.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(UInt8(ascii: "\""))
            for byte in element.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
                text.append(byte)
            }
            text.append(UInt8(ascii: "\""))
        }
        text.append(UInt8(ascii: "}"))
        return text
    }
}
