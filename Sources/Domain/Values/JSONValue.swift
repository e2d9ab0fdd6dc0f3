/// A JSON value; integers are stored exactly.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The members, if it is an object.
    package var objectValue: [String: JSONValue]? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// The string, if the value is one.
    package var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The elements, if it is an array.
    package var arrayValue: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The value as a double, if it is a number.
    package var numberValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The value as a whole number, if it is one in the range of Int64.
    package var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The `__type` of an object; `nil` without one.
    package var typeName: String? {
        objectValue?["__type"]?.stringValue
    }

    /// Whether the value's text has at most about `rest` bytes; subtracts them from `rest`.
    package func fits(in rest: inout Int) -> Bool {
        switch self {
        case .null, .bool, .integer, .number:
            rest -= 2
        case .string(let text):
            rest -= text.utf8.count + 3
        case .array(let elements):
            rest -= 2
            for element in elements where !element.fits(in: &rest) { return false }
        case .object(let members):
            rest -= 2
            for (name, value) in members {
                rest -= name.utf8.count + 4
                guard value.fits(in: &rest) else { return false }
            }
        }
        return rest >= 0
    }

    /// A date in its canonical form.
    package static func date(_ moment: Timestamp) -> JSONValue {
        .object(["__type": .string("Date"), "iso": .string(moment.iso8601)])
    }
}

extension JSONValue {
    /// The moment, if it is a date in its canonical form.
    package var dateValue: Timestamp? {
        guard typeName == "Date" else { return nil }
        return objectValue?["iso"]?.stringValue.flatMap(Timestamp.init(iso8601:))
    }
}
