extension JSONValue {
    /// Whether a query treats two stored values as equal: 1 equals 1.0, strings byte by byte, arrays in order, objects
    /// member by member.
    package func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.integer, .number), (.number, .integer), (.number, .number): compareNumbers(to: other) == 0
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { name, value in right[name].map(value.isSame(as:)) ?? false }
        default: false
        }
    }

    /// Compares two values of one kind: numbers, strings, booleans or dates (protocol/data 4.2).
    ///
    /// Returns a negative number, 0 or a positive number; `nil` for values of different kinds.
    package func compare(to other: JSONValue) -> Int? {
        switch (self, other) {
        case (.integer, .integer), (.integer, .number), (.number, .integer), (.number, .number):
            compareNumbers(to: other)
        case (.string(let left), .string(let right)): left.compareBytes(to: right)
        case (.bool(let left), .bool(let right)): left == right ? 0 : left ? 1 : -1
        case (.object, .object):
            if let left = dateText, let right = other.dateText { left.compareBytes(to: right) } else { nil }
        default: nil
        }
    }

    /// The order of rows: missing values and null first, then numbers and booleans as 0 and 1, then all other values as
    /// text.
    ///
    /// The database orders values that it extracts from a document in the same way.
    package static func order(_ left: JSONValue?, _ right: JSONValue?) -> Int {
        let (left, right) = (left.flatMap(\.sortKey), right.flatMap(\.sortKey))
        switch (left, right) {
        case (nil, nil): return 0
        case (nil, _): return -1
        case (_, nil): return 1
        case (.string(let left)?, .string(let right)?): return left.compareBytes(to: right)
        case (.string?, _): return 1
        case (_, .string?): return -1
        case (let left?, let right?): return left.compareNumbers(to: right) ?? 0
        }
    }

    private var sortKey: JSONValue? {
        switch self {
        case .null: nil
        case .bool(let value): .integer(value ? 1 : 0)
        case .integer, .number, .string: self
        case .array, .object: .string(String(decoding: encoded(), as: UTF8.self))
        }
    }

    private var dateText: String? {
        guard case .object(let members) = self, members["__type"] == .string("Date") else { return nil }
        return members["iso"]?.stringValue
    }

    private func compareNumbers(to other: JSONValue) -> Int? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left == right ? 0 : left < right ? -1 : 1
        case (.number(let left), .number(let right)): left == right ? 0 : left < right ? -1 : 1
        case (.integer(let left), .number(let right)): JSONValue.compare(left, right)
        case (.number, .integer): other.compareNumbers(to: self).map { -$0 }
        default: nil
        }
    }

    /// Compares exactly, also where a double cannot represent the whole number.
    private static func compare(_ left: Int64, _ right: Double) -> Int {
        guard right < 0x1p63 else { return -1 }
        guard right >= -0x1p63 else { return 1 }
        let whole = Int64(right.rounded(.down))
        if left != whole { return left < whole ? -1 : 1 }
        return right > right.rounded(.down) ? -1 : 0
    }
}

extension String {
    /// Compares the UTF-8 bytes, as the database does; `<` of String uses canonical equivalence.
    package func compareBytes(to other: String) -> Int {
        if utf8.elementsEqual(other.utf8) { return 0 }
        return utf8.lexicographicallyPrecedes(other.utf8) ? -1 : 1
    }
}
