internal import FoundationEssentials

extension JSONValue {
    /// Checks each `__type` value and converts it to its canonical form, so that equal values have equal text.
    ///
    /// Dates get three digits of milliseconds, pointers retain only class and id, files become pointers to `_File`,
    /// coordinates become doubles (protocol/data 1.7, 3.5; protocol/files 4.1).
    ///
    /// - Parameter field: The field of the value, for error messages.
    /// - Returns: The value as it is stored.
    /// - Throws: ``ServiceError/Code/malformedJSON``, ``ServiceError/Code/malformedPointer``,
    ///   ``ServiceError/Code/invalidGeoPoint`` or ``ServiceError/Code/invalidInnerKey``.
    package func normalized(field: String) throws -> JSONValue {
        switch self {
        case .null, .bool, .integer, .number:
            return self
        case .string(let text):
            // Databases end a string at U+0000: a query could neither find it nor distinguish it from a shorter one.
            guard !text.utf8.contains(0) else {
                throw ServiceError(.malformedJSON, "'\(field)' must not contain the character U+0000.")
            }
            return self
        case .array(let elements):
            return .array(try elements.map { try $0.normalized(field: field) })
        case .object(let members):
            if let type = members["__type"] { return try JSONValue.typed(type, members, field: field) }
            guard members["__op"] == nil else {
                throw ServiceError(
                    .malformedJSON,
                    "'\(field)' contains an operation inside a value; operations apply to fields only."
                )
            }
            for name in members.keys {
                // An empty name is valid, as on LeanCloud, and no path refers to it.
                guard !name.utf8.contains(where: { [0, UInt8(ascii: "$"), UInt8(ascii: ".")].contains($0) }) else {
                    throw ServiceError(
                        .invalidInnerKey,
                        "Invalid key '\(name.prefix(64))' inside '\(field)': names must not contain '$', '.' or U+0000."
                    )
                }
            }
            return .object(try members.mapValues { try $0.normalized(field: field) })
        }
    }

    private static func typed(_ type: JSONValue, _ members: [String: JSONValue], field: String) throws -> JSONValue {
        switch type {
        case "Date":
            guard let moment = members["iso"]?.stringValue.flatMap(Timestamp.init(iso8601:)) else {
                throw ServiceError(
                    .malformedJSON,
                    "Invalid Date in '\(field)': iso must be a time like 2024-03-01T08:00:00.120Z."
                )
            }
            return .date(moment)
        case "Bytes":
            guard let bytes = members["base64"]?.stringValue.flatMap(JSONValue.bytes(base64:)) else {
                throw ServiceError(.malformedJSON, "Invalid Bytes in '\(field)': base64 must be valid Base64.")
            }
            return .object(["__type": .string("Bytes"), "base64": .string(bytes.base64EncodedString())])
        case "Pointer", "File", "Object":
            return try Pointer(members).json
        case "GeoPoint":
            return try GeoPoint(members).json
        default:
            throw ServiceError(
                .malformedJSON,
                "Invalid __type \(type.summary) in '\(field)': it must be Date, Bytes, Pointer, GeoPoint or File."
            )
        }
    }

    /// Decodes Base64 with or without line breaks, because Objective-C writes CR LF after every 64 letters.
    private static func bytes(base64 text: String) -> Data? {
        Data(base64Encoded: Data(text.utf8.filter { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }))
    }

    /// The beginning of the value's JSON, for messages that quote it.
    package var summary: String {
        let text = String(decoding: encoded(), as: UTF8.self)
        return text.count > 80 ? text.prefix(80) + "…" : text
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    /// Creates a string from a literal.
    package init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Creates an object from a literal.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
