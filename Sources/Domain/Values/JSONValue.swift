/// A JSON value; whole numbers stay whole.
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

    /// The text, if it is a string.
    package var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }
}
