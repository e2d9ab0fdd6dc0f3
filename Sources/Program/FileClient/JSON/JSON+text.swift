extension JSON {
    /// Parses a JSON text in UTF-8; of members with the same name the last one counts.
    ///
    /// - Throws: ``JSONFault`` with the reason and the offset.
    package init(parsing text: [UInt8]) throws(JSONFault) {
        guard String(validating: text, as: UTF8.self) != nil else { throw JSONFault(reason: "no UTF-8", position: 0) }
        self = try JSON.parse(text[...])
    }

    /// Parses a part of a text that is known to be UTF-8.
    package static func parse(_ text: ArraySlice<UInt8>) throws(JSONFault) -> JSON {
        let parsed: Result<JSON, JSONFault> = text.withUnsafeBufferPointer { bytes in
            var reader = JSONReader(bytes)
            do throws(JSONFault) {
                let value = try reader.value()
                try reader.requireEnd()
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        return try parsed.get()
    }

    /// The value as compact JSON in UTF-8, with members sorted by name; a number that is not finite becomes `null`.
    package func write(to text: inout [UInt8]) {
        switch self {
        case .null: text.append(contentsOf: "null".utf8)
        case .bool(let flag): text.append(contentsOf: (flag ? "true" : "false").utf8)
        case .integer(let number): text.append(contentsOf: String(number).utf8)
        case .number(let number): text.append(contentsOf: (number.isFinite ? String(number) : "null").utf8)
        case .string(let string): JSON.write(string, to: &text)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                element.write(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                JSON.write(member.key, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.write(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// The value as compact JSON in UTF-8.
    package var encoded: [UInt8] {
        var text: [UInt8] = []
        write(to: &text)
        return text
    }

    /// Writes a string with its quotation marks.
    package static func write(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): text.append(contentsOf: "\\\"".utf8)
            case UInt8(ascii: "\\"): text.append(contentsOf: "\\\\".utf8)
            case 0x0a: text.append(contentsOf: "\\n".utf8)
            case 0..<0x20: text.append(contentsOf: ("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8)
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}

extension JSON {
    /// The members, if it is an object.
    package var members: [String: JSON]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The elements, if it is an array.
    package var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The string, if it is one.
    package var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// A member of an object; `nil` without it.
    package subscript(name: String) -> JSON? { members?[name] }
}

extension JSONReader {
    mutating func value(depth: Int = 0) throws(JSONFault) -> JSON {
        guard depth <= JSONReader.maxDepth else { throw fault("more than \(JSONReader.maxDepth) levels") }
        skipBlanks()
        switch current {
        case UInt8(ascii: "{"):
            position += 1
            var members: [String: JSON] = [:]
            if take("}") { return .object(members) }
            repeat {
                let name = try name()
                members[name] = try value(depth: depth + 1)
            } while take(",")
            guard take("}") else { throw fault("a comma or '}' is missing") }
            return .object(members)
        case UInt8(ascii: "["):
            position += 1
            var elements: [JSON] = []
            if take("]") { return .array(elements) }
            repeat { elements.append(try value(depth: depth + 1)) } while take(",")
            guard take("]") else { throw fault("a comma or ']' is missing") }
            return .array(elements)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"):
            try skipLiteral("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try skipLiteral("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try skipLiteral("null")
            return .null
        default: return try number()
        }
    }
}
